package samples.ferry;

import java.util.List;

/** The price of a crossing, in cents. */
public class Fares {

    private static final int PER_PASSENGER = 650;
    private static final int PER_METRE = 480;

    private final boolean season;

    public Fares(boolean season) {
        this.season = season;
    }

    /** Each begun metre and each passenger; the driver travels free out of season. */
    public int of(Booking booking) {
        int metres = (booking.length() + 9) / 10;
        int paying = season ? booking.passengers() : Math.max(booking.passengers() - 1, 0);
        return metres * PER_METRE + paying * PER_PASSENGER;
    }

    /** A group's price: from the fourth booking on a tenth less on each of these. */
    public int ofGroup(List<Booking> bookings) {
        int total = 0;
        for (int i = 0; i < bookings.size(); i++) {
            int price = of(bookings.get(i));
            total += i < 3 ? price : price - price / 10;
        }
        return total;
    }
}
