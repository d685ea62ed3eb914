#!/usr/bin/env bash
# The damper element's library for Windows, cross-built, under Wine: the digits of the one for Linux, by FMI 2.0 and 3.0.
source "$(dirname "$0")/../cli/common.bash"
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64) || { echo "needs the package wine64: the damper element's library for Windows"; exit 77; }
windows=$(command -v x86_64-w64-mingw32-gcc) || { echo "needs the package gcc-mingw-w64-x86-64: the damper element's library for Windows"; exit 77; }
python3 - <<'END'
import json
entries = [{"frequency_hz": f, "amplitude_m": a, "energy_J": 1e3 * f * a**2, "energy_interval_J": 0, "effective_mass_kg": m,
            "effective_mass_interval_kg": 0, "zone": "bouncing bed"}
           for f, a, m in [(10, 1e-3, 0.05), (10, 4e-3, 0.02), (40, 1e-3, 0.04), (40, 4e-3, 0.01)]]
json.dump({"kind": "damper element", "mass_kg": 0.05, "entries": entries}, open("element.json", "w"))
END
# An importer of both versions: LIBRARY VERSION TOKEN RESOURCES, then the forces at some motions, and after a state is restored.
cat >importer.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#ifdef _WIN32
#include <windows.h>
static void *find(void *library, const char *name) { return (void *)GetProcAddress(library, name); }
static void *load(const char *path) { return LoadLibraryA(path); }
#else
#include <dlfcn.h>
static void *find(void *library, const char *name) { return dlsym(library, name); }
static void *load(const char *path) { return dlopen(path, RTLD_NOW); }
#endif
#define GET2(result, name, arguments) if (!(two.name = find(library, "fmi2" #name))) return puts("no fmi2" #name), 3;
#define GET3(result, name, arguments) if (!(three.name = find(library, "fmi3" #name))) return puts("no fmi3" #name), 3;
static void log3(Fmi3Environment e, Fmi3Status s, const char *category, const char *text) { printf("%s: %s\n", category, text); }
int main(int count, char **words) {
    void *library = load(words[1]), *state = NULL;
    unsigned f = (unsigned)atoi(words[5]), v = (unsigned)atoi(words[6]), a = (unsigned)atoi(words[7]), force = (unsigned)atoi(words[8]);
    double value, t = 0;
    if (!library || count < 9) return puts("cannot be loaded"), 2;
    Fmi2 two;
    Fmi3 three;
    FMI2_FUNCTIONS(GET2)
    FMI3_FUNCTIONS(GET3)
    static Fmi2Callbacks callbacks;
    int old = words[2][0] == '2', bad = 0;
    void *c = old ? two.Instantiate("e", 1, words[3], words[4], &callbacks, 0, 0)
                  : three.InstantiateCoSimulation("e", words[3], words[4], 0, 1, 0, 0, NULL, 0, NULL, log3, NULL);
    if (!c) return puts("no instance"), 4;
    double frequency = 20;
    bad += old ? two.SetReal(c, &f, 1, &frequency) : three.SetFloat64(c, &f, 1, &frequency, 1);
    bad += old ? two.EnterInitializationMode(c) : three.EnterInitializationMode(c, 0, 0, 0, 0, 0);
    bad += old ? two.ExitInitializationMode(c) : three.ExitInitializationMode(c);
    for (int n = 0; n < 50; n++) {
        double w = 2 * 3.14159265358979 * 20, x = 1e-4 * (n + 1), velocity = x * w * cos(w * t), acceleration = -x * w * w * sin(w * t);
        _Bool event, terminate, early;
        double last;
        bad += old ? two.SetReal(c, &v, 1, &velocity) : three.SetFloat64(c, &v, 1, &velocity, 1);
        bad += old ? two.SetReal(c, &a, 1, &acceleration) : three.SetFloat64(c, &a, 1, &acceleration, 1);
        bad += old ? two.DoStep(c, t, 1e-3, 1) : three.DoStep(c, t, 1e-3, 0, &event, &terminate, &early, &last);
        t += 1e-3;
        bad += old ? two.GetReal(c, &force, 1, &value) : three.GetFloat64(c, &force, 1, &value, 1);
        printf("%.17g\n", value);
        if (n == 30 && !old) bad += three.GetFMUState(c, &state);
    }
    if (state) {
        bad += three.SetFMUState(c, state), bad += three.FreeFMUState(c, &state);
        bad += three.GetFloat64(c, &force, 1, &value, 1);
        printf("restored %.17g\n", value);
    }
    if (old) two.FreeInstance(c);
    else three.FreeInstance(c);
    printf("%s %s bad %d\n", two.GetVersion(), three.GetVersion(), bad);
    return bad != 0;
}
END
"$windows" -O1 -I"$project/src" importer.c -o importer.exe || fail "the importer does not build for Windows"
cc -O1 -I"$project/src" importer.c -o importer -ldl -lm || fail "the importer does not build"
export WINEPREFIX=$PWD/prefix WINEDEBUG=-all DISPLAY=
for version in 2 3; do
    expect 0 export element.json --fmi $version -o "element.fmu"
    rm -rf unpacked
    python3 - $version >words <<'END' || fail "the FMU has no library for Windows"
import sys, zipfile
import xml.etree.ElementTree as xml
zip = zipfile.ZipFile("element.fmu")
zip.extractall("unpacked")
root = xml.parse("unpacked/modelDescription.xml").getroot()
names = {v.get("name"): v.get("valueReference") for v in root.find("ModelVariables")}
places = {2: ("linux64", "win64"), 3: ("x86_64-linux", "x86_64-windows")}[int(sys.argv[1])]
for place, end in ((places[0], "so"), (places[1], "dll")):
    assert f"binaries/{place}/element.{end}" in zip.namelist(), zip.namelist()
print(f"unpacked/binaries/{places[0]}/element.so", f"unpacked/binaries/{places[1]}/element.dll",
      root.get("guid") or root.get("instantiationToken"), *(names[n] for n in ("frequency", "v", "a", "force")))
END
    read -r linux dll token references <words
    for kind in linux windows; do # the folder of the resources as each of the two writes it
        folder=$PWD/unpacked/resources/
        [[ $version -eq 2 ]] && folder=file://$folder
        if [[ $kind == linux ]]; then ./importer "$linux" $version "$token" "$folder" $references >"$kind" 2>err
        else
            folder="Z:${PWD//\//\\}\\unpacked\\resources\\"
            [[ $version -eq 2 ]] && folder=file:///Z:$PWD/unpacked/resources
            "$wine" importer.exe "${dll//\//\\}" $version "$token" "$folder" $references 2>err | tr -d '\r' >"$kind"
        fi
        grep -q "2.0 3.0 bad 0" "$kind" || fail "FMI $version under $kind: $(cat "$kind" err)"
    done
    [[ $(wc -l <linux) -ge 51 ]] || fail "too few values"
    same linux windows
done
exit 0
