# The library for every processor: compiled once per level of instructions, always whole, and joined into one object
# that shows the public functions only (docs/architecture.md, "One library for every processor").
#
#   src/*/*.c --compile--> objects --gcc -r, link-time optimisation--> one object --objcopy--> mrc_run__avx2, ...
#
# Tests and benchmarks, which see the inside, are linked with that one object as it is before objcopy: they run the code that
# users run. Then, with the functions that choose between them (src/dispatch, scripts/generate-dispatch), `library.o`, which is
# the whole of libmaraca.a and libmaraca.so.
if(NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "MARACA_LEVELS needs gcc: the levels are linked with its link-time optimisation")
endif()

set(folder ${CMAKE_BINARY_DIR}/levels)
file(GLOB PUBLIC_HEADERS CONFIGURE_DEPENDS include/maraca/*.h)
list(TRANSFORM LEVEL_NAMES REPLACE "(.+)" "${folder}/rename-\\1.txt" OUTPUT_VARIABLE rename_files)
add_custom_command(
  OUTPUT ${folder}/table.c ${folder}/public.txt ${rename_files}
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/scripts/generate-dispatch --compiler ${CMAKE_C_COMPILER}
          --include ${CMAKE_SOURCE_DIR}/include --output ${folder} --own mrc_simd --own mrc_simd_error ${LEVEL_NAMES}
  DEPENDS ${PUBLIC_HEADERS} scripts/generate-dispatch
  VERBATIM)

# -d: the locks of named critical regions are common symbols, which objcopy cannot make local.
set(link_flags -r -Wl,-d -nostdlib -O3 -g -fPIC -fvisibility=hidden)
foreach(level ${LEVEL_NAMES})
  add_library(level_${level} OBJECT ${LIBRARY_SOURCES})
  add_dependencies(level_${level} generated)
  set_target_properties(level_${level} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_compile_options(level_${level} PRIVATE ${LEVEL_FLAGS_${level}} -flto=auto)
  target_compile_definitions(level_${level} PRIVATE MARACA_SIMD_NAME="${level}")
  target_include_directories(level_${level} PRIVATE include src)
  target_link_libraries(level_${level} PRIVATE maraca_flags maraca_dependencies)
  set(inside ${folder}/${level}-inside.o)
  add_custom_command(
    OUTPUT ${inside}
    # Without -fopenmp: it would take the whole of libgomp.a in. That was done when the sources were compiled.
    COMMAND ${CMAKE_C_COMPILER} ${link_flags} ${LEVEL_FLAGS_${level}} -flto=auto -flinker-output=nolto-rel
            $<TARGET_OBJECTS:level_${level}> -o ${inside}
    DEPENDS level_${level} $<TARGET_OBJECTS:level_${level}>
    COMMENT "Linking level ${level}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set(object ${folder}/${level}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${folder}/public.txt ${inside} ${object}
    COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${folder}/rename-${level}.txt ${object}
    DEPENDS ${inside} ${folder}/public.txt ${folder}/rename-${level}.txt
    VERBATIM)
  list(APPEND level_objects ${object})
endforeach()

add_library(dispatch OBJECT src/dispatch/dispatch.c ${folder}/table.c)
set_target_properties(dispatch PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(dispatch PRIVATE include src)
target_link_libraries(dispatch PRIVATE maraca_flags)
set(library_object ${folder}/library.o)
add_custom_command(
  OUTPUT ${library_object}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib $<TARGET_OBJECTS:dispatch> ${level_objects} -o ${library_object}
  COMMAND ${CMAKE_OBJCOPY} --keep-global-symbols=${folder}/public.txt ${library_object}
  DEPENDS dispatch $<TARGET_OBJECTS:dispatch> ${level_objects} ${folder}/public.txt
  COMMENT "Joining the levels"
  COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${library_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_custom_target(library_object DEPENDS ${library_object}) # one rule for both libraries below

# ---- libmaraca.a and libmaraca.so: include/maraca is all that they pass on ------------------------------------------
foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(maraca_${kind} ${KIND} ${library_object})
  add_dependencies(maraca_${kind} library_object)
  set_target_properties(maraca_${kind} PROPERTIES OUTPUT_NAME maraca LINKER_LANGUAGE C)
  target_include_directories(maraca_${kind} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
endforeach()
set_target_properties(maraca_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_options(maraca_shared PRIVATE -Wl,--as-needed -Wl,-z,defs
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/packaging/maraca.map)
target_link_libraries(maraca_shared PRIVATE ${DEPENDENCY_FLAGS})
target_link_libraries(maraca_static INTERFACE ${DEPENDENCY_FLAGS})

# ---- for tests and benchmarks: the level that this machine's processor would choose, with all that is inside ---------
set_source_files_properties(${folder}/${SIMD_NAME}-inside.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_custom_target(inside_object DEPENDS ${folder}/${SIMD_NAME}-inside.o)
add_library(maraca_internals STATIC EXCLUDE_FROM_ALL ${folder}/${SIMD_NAME}-inside.o)
add_dependencies(maraca_internals inside_object)
set_target_properties(maraca_internals PROPERTIES LINKER_LANGUAGE C)
target_include_directories(maraca_internals PUBLIC include)
target_link_libraries(maraca_internals PUBLIC maraca_flags maraca_machine PRIVATE maraca_dependencies)
