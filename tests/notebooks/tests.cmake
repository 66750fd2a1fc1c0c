# The notebooks of jobs/notebooks: label notebooks, `ctest -L notebooks`; tests/run.sh leaves them out. Executed copies
# are in the build folder's notebooks/.
find_program(TORRE_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(TORRE_PYTHON3 NAMES python3)
if(TORRE_PYTHON3 AND NOT TORRE_SANITIZE)
  file(GLOB notebooks CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/jobs/notebooks/*.ipynb)
  foreach(notebook ${notebooks})
    cmake_path(GET notebook STEM name)
    add_test(NAME notebooks/${name} COMMAND ${TORRE_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/notebooks/run.py ${notebook}
                                            ${CMAKE_BINARY_DIR}/notebooks)
    torre_set_timeout(notebooks/${name} 900)
    set_tests_properties(notebooks/${name} PROPERTIES LABELS notebooks SKIP_RETURN_CODE 77 ENVIRONMENT
                                                      "TORRE=$<TARGET_FILE:torre>")
  endforeach()
endif()
