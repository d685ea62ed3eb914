# maraca-fmu.so: what `maraca export` puts into FMUs (src/fmu), with the library inside. Libraries that Debian has as archives
# go in, too; if one of the others is missing, the loader of the importing program says which.
file(GLOB FMU_SOURCES CONFIGURE_DEPENDS src/fmu/*.c)
add_library(maraca_fmu SHARED ${FMU_SOURCES})
set_target_properties(maraca_fmu PROPERTIES OUTPUT_NAME maraca-fmu PREFIX "" C_VISIBILITY_PRESET hidden)
target_include_directories(maraca_fmu PRIVATE src include)
target_link_options(maraca_fmu PRIVATE -s -Wl,--as-needed -Wl,-z,defs -Wl,--gc-sections
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/packaging/fmu.map)
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
