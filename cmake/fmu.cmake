# maraca-fmu.so: what `maraca export` puts into FMUs (src/fmu), with the library inside. Libraries that Debian has as archives
# go in, too; if one of the others is missing, the loader of the importing program says which.
set(FMU_SOURCES src/fmu/fmi2.c src/fmu/fmi3.c src/fmu/instance.c src/fmu/outside.c)
add_library(maraca_fmu SHARED ${FMU_SOURCES})
set_target_properties(maraca_fmu PROPERTIES OUTPUT_NAME maraca-fmu PREFIX "" C_VISIBILITY_PRESET hidden)
target_include_directories(maraca_fmu PRIVATE src include)
target_link_options(maraca_fmu PRIVATE -s -Wl,--as-needed -Wl,--gc-sections
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/packaging/fmu.map)
if(NOT MARACA_SANITIZE_THREADS) # whose functions clang links into programs only
  target_link_options(maraca_fmu PRIVATE -Wl,-z,defs)
endif()
# Not among them: archives of Debian that are not position-independent (libgomp, libgfortran, libfyaml, qhull).
find_library(FMU_FORTRAN NAMES libgfortran.so.5) # of LAPACK
if(FMU_FORTRAN)
  set(FMU_LAPACK lapacke lapack blas tmglib)
endif()
foreach(name minizip expat klu btf colamd ldl amd suitesparseconfig z ${FMU_LAPACK})
  find_library(FMU_${name} NAMES lib${name}.a PATH_SUFFIXES ${name})
  if(FMU_${name})
    list(APPEND FMU_ARCHIVES ${FMU_${name}})
  endif()
endforeach()
if(MARACA_LEVELS)
  set(FMU_LIBRARY maraca_static)
else()
  set(FMU_LIBRARY maraca_machine maraca_internals)
endif()
target_link_libraries(maraca_fmu PRIVATE maraca_flags ${FMU_LIBRARY} -Wl,--start-group ${FMU_ARCHIVES} -Wl,--end-group
                      $<$<BOOL:${FMU_FORTRAN}>:${FMU_FORTRAN}>)

# ---- maraca-element.so: a damper element, a table that needs nothing; for Windows, too, where Debian's compiler for it is
# there (gcc-mingw-w64-x86-64). Its source goes into FMUs.
set(ELEMENT_SOURCES src/fmu/element.c src/fmu/fmi2.c src/fmu/fmi3.c)
add_library(maraca_element SHARED ${ELEMENT_SOURCES})
set_target_properties(maraca_element PROPERTIES OUTPUT_NAME maraca-element PREFIX "" C_VISIBILITY_PRESET hidden)
target_include_directories(maraca_element PRIVATE src)
target_compile_options(maraca_element PRIVATE -Wall -Wextra -Werror -O2)
target_link_options(maraca_element PRIVATE -s)
target_link_libraries(maraca_element PRIVATE m)
set(ELEMENT_FILES ${ELEMENT_SOURCES} src/fmu/face.h src/fmi/fmi2.h src/fmi/fmi3.h)
foreach(file ${ELEMENT_FILES})
  string(REPLACE "src/" "${CMAKE_BINARY_DIR}/maraca-element/" copy ${file})
  configure_file(${file} ${copy} COPYONLY)
endforeach()
find_program(WINDOWS_COMPILER x86_64-w64-mingw32-gcc)
if(WINDOWS_COMPILER)
  set(ELEMENT_DLL ${CMAKE_BINARY_DIR}/maraca-element.dll)
  list(TRANSFORM ELEMENT_FILES PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE ELEMENT_PATHS)
  list(TRANSFORM ELEMENT_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE ELEMENT_C)
  add_custom_command(
    OUTPUT ${ELEMENT_DLL}
    COMMAND ${WINDOWS_COMPILER} -std=gnu17 -O2 -shared -s -static-libgcc -I${CMAKE_SOURCE_DIR}/src ${ELEMENT_C} -o ${ELEMENT_DLL}
    DEPENDS ${ELEMENT_PATHS}
    VERBATIM)
  add_custom_target(element_dll ALL DEPENDS ${ELEMENT_DLL})
endif()
