# What `make install` puts where: program, libraries, headers, and what other builds find them by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Found from where they are installed, not from where they were meant to be: the folder can be moved.
string(REPLACE ";" " " PRIVATE_LIBS "${DEPENDENCY_FLAGS}")
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PKGCONFIG ${PREFIX_FROM_PKGCONFIG})
configure_file(packaging/maraca.pc.in maraca.pc @ONLY)
set(CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/maraca)
write_basic_package_version_file(maraca-config-version.cmake COMPATIBILITY SameMinorVersion)

install(TARGETS maraca RUNTIME)
foreach(kind static shared)
  target_include_directories(maraca_${kind} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
set_target_properties(maraca_shared PROPERTIES EXPORT_NAME maraca)
install(TARGETS maraca_shared maraca_static EXPORT maraca)
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP) # which leaves static libraries alone
    execute_process(COMMAND ${CMAKE_STRIP} --strip-debug
                    \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libmaraca.a COMMAND_ERROR_IS_FATAL ANY)
  endif()")
install(EXPORT maraca NAMESPACE maraca:: FILE maraca-config.cmake DESTINATION ${CONFIG_FOLDER})
install(FILES ${CMAKE_BINARY_DIR}/maraca-config-version.cmake DESTINATION ${CONFIG_FOLDER})
install(FILES ${CMAKE_BINARY_DIR}/maraca.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(TARGETS maraca_fmu maraca_element LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/maraca)
install(DIRECTORY ${CMAKE_BINARY_DIR}/maraca-element DESTINATION ${CMAKE_INSTALL_LIBDIR}/maraca)
if(ELEMENT_DLL)
  install(FILES ${ELEMENT_DLL} DESTINATION ${CMAKE_INSTALL_LIBDIR}/maraca)
endif()
install(DIRECTORY include/maraca DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)

# ---- manual page and completion, from what the program says about itself ---------------------------------------------
set(MANUAL_FOLDER ${CMAKE_BINARY_DIR}/manual)
add_custom_command(
  OUTPUT ${MANUAL_FOLDER}/maraca.1 ${MANUAL_FOLDER}/maraca.bash
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/scripts/generate-manual $<TARGET_FILE:maraca> ${MANUAL_FOLDER}
  DEPENDS maraca scripts/generate-manual packaging/maraca.1.in packaging/maraca.bash.in
  VERBATIM)
add_custom_target(manual ALL DEPENDS ${MANUAL_FOLDER}/maraca.1)
install(FILES ${MANUAL_FOLDER}/maraca.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${MANUAL_FOLDER}/maraca.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME maraca)
