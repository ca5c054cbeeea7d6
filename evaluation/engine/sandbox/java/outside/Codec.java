package assay.outside;

/** Tags and bounds of the plain data that crosses. */
final class Codec {
    /** The maximum number of values in a message, and the maximum depth of their nesting. */
    static final int VALUES = 500_000, DEPTH = 200;

    static final byte NULL = 0, KNOWN = 1, TRUE = 2, FALSE = 3, BYTE = 4, SHORT = 5, CHAR = 6;
    static final byte INT = 7, LONG = 8, FLOAT = 9, DOUBLE = 10, TEXT = 11, INTERNED = 12;
    static final byte OBJECT = 13;

    private Codec() {}
}
