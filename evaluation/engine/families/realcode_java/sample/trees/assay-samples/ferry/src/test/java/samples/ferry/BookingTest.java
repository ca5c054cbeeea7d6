package samples.ferry;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;

import org.junit.Test;

public class BookingTest {

    @Test
    public void parses() {
        assertEquals(new Booking("NFZ318", 46, 3), Booking.parse("nf z 318, 4.55, 3"));
    }

    @Test
    public void onePassenger() {
        assertEquals(new Booking("A1", 62, 1), Booking.parse("A1,6.2"));
    }

    @Test
    public void noBooking() {
        assertThrows(IllegalArgumentException.class, () -> Booking.parse("A1"));
        assertThrows(IllegalArgumentException.class, () -> Booking.parse("A1, 4, 2, red"));
        assertThrows(IllegalArgumentException.class, () -> Booking.parse("A1, long"));
    }
}
