package samples.ferry;

import static org.junit.Assert.assertEquals;

import java.time.LocalTime;
import java.util.List;
import java.util.Optional;
import org.junit.Test;

public class TimetableTest {

    private final Timetable day = new Timetable(List.of(at("14:30"), at("07:15"), at("09:45")));

    private static LocalTime at(String time) {
        return LocalTime.parse(time);
    }

    @Test
    public void nextOfTheMorning() {
        assertEquals(Optional.of(at("07:15")), day.next(at("06:00")));
        assertEquals(Optional.of(at("09:45")), day.next(at("07:10")));
    }

    @Test
    public void checkInCloses() {
        assertEquals(Optional.of(at("14:30")), day.next(at("14:20")));
        assertEquals(Optional.empty(), day.next(at("14:21")));
    }

    @Test
    public void nothingIsLeft() {
        assertEquals(Optional.empty(), day.next(at("23:00")));
        assertEquals(Optional.empty(), new Timetable(List.of()).next(at("06:00")));
    }

    @Test
    public void longestGap() {
        assertEquals(285, day.longestGap());
        assertEquals(0, new Timetable(List.of(at("08:00"))).longestGap());
        assertEquals(0, new Timetable(List.of()).longestGap());
    }
}
