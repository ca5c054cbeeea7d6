package assay.outside;

/** Bytes that the other side's codec cannot have written. */
public final class Malformed extends Exception {
    Malformed(String message) {
        super(message);
    }
}
