package samples.ferry;

import static org.junit.Assert.assertEquals;

import java.util.Collections;
import java.util.List;
import org.junit.Test;

public class FaresTest {

    private static final Booking CAR = new Booking("A1", 41, 3);
    private final Fares summer = new Fares(true);
    private final Fares winter = new Fares(false);

    @Test
    public void season() {
        assertEquals(5 * 480 + 3 * 650, summer.of(CAR));
        assertEquals(5 * 480 + 2 * 650, winter.of(CAR));
    }

    @Test
    public void wholeMetres() {
        assertEquals(4 * 480 + 650, summer.of(new Booking("A1", 40, 1)));
    }

    @Test
    public void trailer() {
        assertEquals(3 * 480, winter.of(new Booking("A1", 30, 0)));
    }

    @Test
    public void group() {
        assertEquals(2 * 4350, summer.ofGroup(List.of(CAR, CAR)));
        assertEquals(3 * 4350 + 2 * 3915, summer.ofGroup(Collections.nCopies(5, CAR)));
        assertEquals(0, summer.ofGroup(List.of()));
    }

    @Test
    public void groupOfDifferentVehicles() {
        Booking bike = new Booking("B2", 19, 1);
        Booking odd = new Booking("C3", 11, 2);
        assertEquals(3 * 960 + 1449, winter.ofGroup(List.of(bike, bike, bike, odd)));
    }
}
