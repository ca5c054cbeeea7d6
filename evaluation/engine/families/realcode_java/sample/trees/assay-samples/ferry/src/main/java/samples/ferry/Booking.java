package samples.ferry;

/** A vehicle's booking: number plate, length in decimetres, passengers. */
public record Booking(String plate, int length, int passengers) {

    /** Reads {@code plate, length in metres, passengers}; the passengers may be missing and are one
     * then. Plates are in capitals, without blanks. */
    public static Booking parse(String line) {
        String[] parts = line.split(",");
        if (parts.length < 2 || parts.length > 3) {
            throw new IllegalArgumentException("no booking: " + line);
        }
        String plate = parts[0].replace(" ", "").toUpperCase();
        int length = (int) Math.ceil(Double.parseDouble(parts[1].trim()) * 10);
        int passengers = parts.length == 3 ? Integer.parseInt(parts[2].trim()) : 1;
        return new Booking(plate, length, passengers);
    }
}
