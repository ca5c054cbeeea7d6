package samples.ferry;

import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The departures of a day. */
public class Timetable {

    private final TreeSet<LocalTime> departures;

    public Timetable(List<LocalTime> departures) {
        this.departures = new TreeSet<>(departures);
    }

    /** The first departure that a car catches if it arrives at that time: check-in closes ten
     * minutes before. Empty after the last one. */
    public Optional<LocalTime> next(LocalTime arrival) {
        for (LocalTime departure : departures) {
            if (!departure.minusMinutes(10).isBefore(arrival)) {
                return Optional.of(departure);
            }
        }
        return Optional.empty();
    }

    /** The longest time without a departure, in minutes; 0 for fewer than two departures. */
    public int longestGap() {
        int longest = 0;
        LocalTime before = null;
        for (LocalTime departure : departures) {
            if (before != null) {
                int gap = departure.toSecondOfDay() / 60 - before.toSecondOfDay() / 60;
                longest = Math.max(longest, gap);
            }
            before = departure;
        }
        return longest;
    }
}
