# maraca-fmu.so: what `maraca export` puts into FMUs (src/fmu), with the whole library inside. Libraries that Debian has as
# position-independent archives go in, too; of the others, the loader says which one is missing.
file(GLOB FMU_SOURCES CONFIGURE_DEPENDS src/fmu/*.c)
add_library(maraca_fmu SHARED ${FMU_SOURCES})
set_target_properties(maraca_fmu PROPERTIES OUTPUT_NAME maraca-fmu PREFIX "" C_VISIBILITY_PRESET hidden)
target_include_directories(maraca_fmu PRIVATE src include)
target_link_options(maraca_fmu PRIVATE -s -Wl,--as-needed -Wl,-z,defs -Wl,--gc-sections
                    -Wl,--version-script=${CMAKE_SOURCE_DIR}/packaging/fmu.map)
if(MARACA_LEVELS)
  target_link_libraries(maraca_fmu PRIVATE maraca_flags maraca_static)
else()
  target_link_libraries(maraca_fmu PRIVATE maraca_flags maraca_machine maraca_internals)
endif()
