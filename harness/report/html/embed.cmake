# Writes the style sheet and the script of the pages as C, with their hashes as a
# Content-Security-Policy has them.  -DSTYLE=page.css -DSCRIPT=page.js -DOUT=assets.c; with
# -DPREFIX=serve their names begin so, and -DHEADER=serve/page.h declares them.
if(NOT DEFINED PREFIX)
  set(PREFIX html)
  set(HEADER report/html/assets.h)
endif()

# Digits of CMake's hash, in base 64.
function(base64 hex out)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 6) # 32 bytes: ten groups of three, and two
    string(SUBSTRING "${hex}00" ${at} 6 group)
    math(EXPR bits "0x${group}")
    foreach(shift 18 12 6 0)
      math(EXPR digit "(${bits} >> ${shift}) & 63")
      string(SUBSTRING "${alphabet}" ${digit} 1 digit)
      string(APPEND text "${digit}")
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

set(text "#include \"${HEADER}\"\n")
foreach(asset STYLE SCRIPT)
  string(TOLOWER ${asset} name)
  file(READ ${${asset}} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(SHA256 ${${asset}} hash)
  base64(${hash} hash)
  string(APPEND text "const char ${PREFIX}_${name}[] = {${bytes}0};\nconst char ${PREFIX}_${name}_hash[] = \"sha256-${hash}\";\n")
endforeach()
file(WRITE ${OUT} "${text}")
