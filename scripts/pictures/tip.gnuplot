# Motion of the cantilever's tip with its grains, and with their mass fixed to it.
#     gnuplot -e "loose='WITH.csv'; fixed='WITHOUT.csv'; picture='tip.svg'" scripts/pictures/tip.gnuplot
set terminal svg size 760,270 dynamic font "sans-serif,13" background "white"
set output picture
set datafile separator ","
set xlabel "time [s]"
set ylabel "tip of the strip [mm]"
set xrange [0:2]
set yrange [-28:28]
set ytics 10
set grid y linetype 1 linecolor "#dddddd"
set border 3
set tics nomirror out
set key above left horizontal
# Heights above the first one; every second sample: 500 a second show 15.5 Hz well.
stats fixed using (column("shell.y[m]")) every ::0::0 nooutput
from_fixed = STATS_min
stats loose using (column("shell.y[m]")) every ::0::0 nooutput
from_loose = STATS_min
plot fixed using "t[s]":(1000*(column("shell.y[m]") - from_fixed)) every 2 with lines linecolor "#b9b9b9" \
         title "mass of the grains fixed to the tip", \
     loose using "t[s]":(1000*(column("shell.y[m]") - from_loose)) every 2 with lines linewidth 1.4 linecolor "#c0392b" \
         title "147 loose grains in a can at the tip"
