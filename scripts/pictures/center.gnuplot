# The centre of mass of the grains and the container that carries them, over time.
#     gnuplot -e "series='moving-box.run/series.csv'; picture='center.png'" scripts/pictures/center.gnuplot
set terminal pngcairo size 1200,500 font "sans,14" background "white"
set output picture
set datafile separator ","
set xlabel "time t in s"
set ylabel "height z in mm"
set xrange [0:1]
set yrange [-24:24]
set grid linecolor "#dddddd"
set border 3
set tics nomirror out
set key outside top center horizontal samplen 2 width 2
set rmargin 4
bottom(z) = 1000*(z - 0.0125)     # the cylinder is 25 mm high
top(z) = 1000*(z + 0.0125)
plot series using "t[s]":(bottom(column("shaker.z[m]"))):(top(column("shaker.z[m]"))) \
         with filledcurves fillcolor "#e6ebf2" title "inside of the cylinder ", \
     series using "t[s]":(1000*column("shaker.z[m]")) with lines linewidth 1.5 dashtype 2 \
         linecolor "#5b6b82" title "shaker.z", \
     series using "t[s]":(1000*column("damper.center.z[m]")) with lines linewidth 2.5 \
         linecolor "#c03a2b" title "damper.center.z"
