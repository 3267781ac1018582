# cpack: a Debian package of each component. tools/package configures for /usr, builds, and calls it.
set(PM_MAINTAINER "The pm authors <pm@packages.invalid>" CACHE STRING "whom the Debian packages name")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pm)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL ${COMPONENTS})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${PM_MAINTAINER})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_CURRENT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# A package: what it needs beyond the shared libraries that it is linked to, and what it is.
function(debian_package component section depends recommends summary text)
  string(TOUPPER ${component} id)
  set(about "The language is PolyMage's, or Halide's C++. The compiler chooses the
schedule, and proves it legal for all sizes of a picture.")
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME ${component} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_DESCRIPTION "compiler of image-processing pipelines${summary}\n${about}\n.\n${text}" PARENT_SCOPE)
endfunction()
set(same "(= ${PROJECT_VERSION}-1)")
debian_package(libpm0 libs "" "" " (library)" "This package has the library of the tools, of plugins, and of programs that
compile while they run.")
debian_package(libpm-dev libdevel "libpm0 ${same}, pm-tools ${same}, libisl-dev" "" " (headers)"
  "This package has the headers, and files of CMake and pkg-config, for plugins
and for programs that use the library.")
debian_package(pm-tools devel "libpm0 ${same}" "libpm-llvm, c-compiler, libtiff6, libjpeg62-turbo, libopenexr-3-1-30" "" "This package has the tools. pmc makes C, machine code or OpenCL of a program;
pm-run runs it on pictures.")
debian_package(libpm-llvm libs "libpm0 ${same}" "" " (machine code by LLVM)"
  "This package makes machine code without a C compiler, for this processor
and others.")
debian_package(python3-pm python "libpm0 ${same}, python3 (>= 3.11), python3-numpy" "pm-tools, libpm-llvm | c-compiler" " (Python 3)"
  "This package has the module pm: pipelines on NumPy arrays.")
set(CPACK_DEBIAN_PYTHON3-PM_PACKAGE_CONTROL_EXTRA
  ${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/postinst ${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/prerm)
debian_package(pm-doc doc "" "" " (documentation)" "This package has the pages about languages, tools and passes.")
set(CPACK_DEBIAN_PM-DOC_PACKAGE_ARCHITECTURE all)
# The system looks for the library anew.
set(CPACK_DEBIAN_LIBPM0_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_SOURCE_DIR}/packaging/debian/triggers)

# Debian wants its own form of what is changed and of the license, in each package.
file(TIMESTAMP ${CMAKE_CURRENT_SOURCE_DIR}/CHANGELOG.md changed "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(READ LICENSE license)
string(REGEX REPLACE "^MIT License\n\n" "" license "${license}")
string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
string(REGEX REPLACE "\n([^\n])" "\n \\1" license "${license}")
configure_file(packaging/debian/copyright.in debian/copyright @ONLY)
configure_file(packaging/debian/changelog.in debian/changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nf ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  foreach(component ${COMPONENTS})
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/debian/copyright ${CMAKE_CURRENT_BINARY_DIR}/debian/changelog.Debian.gz
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} COMPONENT ${component})
  endforeach()
  install(FILES packaging/debian/libpm0.lintian DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME libpm0 COMPONENT libpm0)
endif()
include(CPack)
