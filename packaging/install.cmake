# What `cmake --install` puts where. Each part belongs to a component, the name of its Debian package.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Programs and modules find the library by where they are; in /usr the system knows where it is. What they have in the build is written
# over, in its length: slashes at the end make room. (CMake makes room with empty folders, which mean the one that a tool is called in.)
function(find_when_installed target folder in_build installed)
  string(LENGTH "${installed}" length)
  string(REPEAT "/" ${length} room)
  set_target_properties(${target} PROPERTIES SKIP_BUILD_RPATH ON)
  file(CONFIGURE OUTPUT rpath/${target} CONTENT "-rpath ${in_build}${room}\n" @ONLY) # an option cannot have a dollar
  target_link_options(${target} PRIVATE -Wl,@${CMAKE_CURRENT_BINARY_DIR}/rpath/${target})
  set(change "RPATH_CHANGE FILE \"\${file}\" OLD_RPATH \"${in_build}${room}\" NEW_RPATH \"${installed}\"")
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(change "RPATH_REMOVE FILE \"\${file}\"")
  endif()
  install(CODE "set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}/$<TARGET_FILE_NAME:${target}>\")\nfile(${change})"
    COMPONENT ${ARGN})
endfunction()

if(SKBUILD) # a wheel has no links: one file, by the name that programs load
  set(namelink NAMELINK_SKIP)
  set(PC_LIBRARY "-l:libpm.so.0")
  set_target_properties(pm PROPERTIES VERSION 0)
else()
  set(namelink NAMELINK_COMPONENT libpm-dev)
  set(PC_LIBRARY "-lpm")
endif()
install(TARGETS pm EXPORT pm-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libpm0 ${namelink}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE bin_to_lib)
install(TARGETS ${TOOLS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT pm-tools)
foreach(tool ${TOOLS})
  find_when_installed(${tool} ${CMAKE_INSTALL_BINDIR} "\$ORIGIN" "\$ORIGIN/${bin_to_lib}" pm-tools)
endforeach()
if(TARGET pm-llvm)
  install(TARGETS pm-llvm LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/pm COMPONENT libpm-llvm)
  set(llvm_folders ${LLVM_LIBRARY_DIR})
  if(SKBUILD)
    list(TRANSFORM LLVM_FOLDERS_OF_PYTHON PREPEND "\$ORIGIN/" OUTPUT_VARIABLE llvm_folders)
    list(APPEND llvm_folders ${LLVM_LIBRARY_DIR})
    list(JOIN llvm_folders ":" llvm_folders)
  endif()
  find_when_installed(pm-llvm ${CMAKE_INSTALL_LIBDIR}/pm "${LLVM_LIBRARY_DIR}:\$ORIGIN" "${llvm_folders}:\$ORIGIN/.." libpm-llvm)
  install(TARGETS pm-child RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/pm COMPONENT libpm-llvm)
  find_when_installed(pm-child ${CMAKE_INSTALL_LIBDIR}/pm "\$ORIGIN" "\$ORIGIN/.." libpm-llvm)
endif()
include(packaging/python.cmake)
include(packaging/editors.cmake)

include(packaging/headers.cmake)

# The package of CMake: what builds pipelines is the same for all systems, and for the library of one there are targets.
set(config ${CMAKE_INSTALL_DATADIR}/cmake/pm)
configure_package_config_file(packaging/pm-config.cmake.in pm-config.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(pm-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pm-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/pm-config-version.cmake
  packaging/pm-pipelines.cmake DESTINATION ${config} COMPONENT pm-tools)
install(EXPORT pm-targets NAMESPACE pm:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pm COMPONENT libpm-dev)

# pkg-config leaves the system's folders out where they are named as such; elsewhere the folder may be moved.
set(PC_PREFIX /usr)
if(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  cmake_path(SET pc_folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_folder} OUTPUT_VARIABLE to_prefix)
  set(PC_PREFIX "\${pcfiledir}/${to_prefix}")
endif()
configure_file(packaging/pm.pc.in pm.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/pm.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libpm-dev)

# Manual pages and completions are made by the tools, of their tables of options. Debian's zsh looks elsewhere than zsh itself.
if(NOT CMAKE_CROSSCOMPILING AND NOT SKBUILD)
  set(zsh site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(zsh vendor-completions)
  endif()
  set(help ${CMAKE_CURRENT_BINARY_DIR}/help)
  file(MAKE_DIRECTORY ${help})
  foreach(tool ${TOOLS})
    set(made ${help}/${tool}.1.gz ${help}/${tool} ${help}/_${tool} ${help}/${tool}.fish)
    add_custom_command(OUTPUT ${made} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/packaging/help.sh $<TARGET_FILE:${tool}> ${help}
      DEPENDS ${tool} packaging/help.sh VERBATIM)
    list(APPEND all_help ${made})
    install(FILES ${help}/${tool}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT pm-tools)
    install(FILES ${help}/${tool} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT pm-tools)
    install(FILES ${help}/_${tool} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${zsh} COMPONENT pm-tools)
    install(FILES ${help}/${tool}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT pm-tools)
  endforeach()
  add_custom_target(help_of_tools ALL DEPENDS ${all_help})
endif()

install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT pm-doc)
file(GLOB pages docs/*.md docs/*.png docs/*.jpg docs/*.ipynb)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT pm-doc)
install(DIRECTORY docs/gallery DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT pm-doc
        PATTERN __pycache__ EXCLUDE)
# Where Debian has examples of a package, and where the links of the pages point to.
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/pm-doc COMPONENT pm-doc)
file(CREATE_LINK ../pm-doc/examples ${CMAKE_CURRENT_BINARY_DIR}/examples SYMBOLIC)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT pm-doc)
set(COMPONENTS libpm0 libpm-dev pm-tools pm-doc)
if(TARGET pm-llvm)
  list(APPEND COMPONENTS libpm-llvm)
endif()
if(TARGET pm-python AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  list(APPEND COMPONENTS python3-pm)
endif()
foreach(component ${COMPONENTS})
  install(FILES LICENSE THIRD_PARTY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component})
endforeach()

# ninja uninstall: the files of the last `cmake --install`, and the folders that are empty then.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_SOURCE_DIR}/packaging/uninstall.cmake
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} VERBATIM)

if(NOT SKBUILD)
  include(packaging/debian.cmake)
endif()
