package assay.outside;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads what Encoder writes, and nothing else. Bytes may come from a candidate. */
final class Decoder {
    private final DataInputStream in;
    private final List<Object> objects;
    private final Kinds kinds;
    // The sets and maps that were filled, perhaps before their elements were.
    private final List<Object> filled = new ArrayList<>();
    private int left = Codec.VALUES;

    /** Continues the numbering of `objects`, and adds to them. */
    Decoder(Kinds kinds, List<Object> objects, byte[] bytes) {
        this.kinds = kinds;
        this.objects = objects;
        in = new DataInputStream(new ByteArrayInputStream(bytes));
    }

    int tag() throws IOException {
        return in.readByte();
    }

    int number() throws IOException {
        return in.readInt();
    }

    String name() throws IOException {
        return in.readUTF();
    }

    /**
     * Puts the elements of sets and maps in again, now that all of them have their contents. Throws
     * Malformed if anything follows, or if a set or a map holds equal elements.
     */
    void end() throws IOException, Malformed {
        if (in.available() > 0) {
            throw new Malformed("more than an answer");
        }
        // Twice: elements that are sets or maps compare rightly after the first round.
        for (int round = 0; round < 2; round++) {
            for (Object each : filled) {
                fillAgain(each);
            }
        }
    }

    private void fillAgain(Object filled) throws Malformed {
        int size = size(filled);
        if (kinds.canChange(filled)) {
            String kind = kindOf(filled);
            fill(kind, filled, partsOf(kind, filled));
        } else {
            boolean isSet = filled instanceof Set;
            Collection<?> keys = isSet ? (Set<?>) filled : ((Map<?, ?>) filled).keySet();
            size = keys.containsAll(keys) ? new HashSet<>(keys).size() : -1;
        }
        if (size(filled) != size) {
            throw new Malformed("a set or a map of equal elements");
        }
    }

    private static int size(Object filled) {
        return filled instanceof Set ? ((Set<?>) filled).size() : ((Map<?, ?>) filled).size();
    }

    private Object noted(Object object) {
        if (object instanceof Set || object instanceof Map) {
            filled.add(object);
        }
        return object;
    }

    /**
     * Whether Encoder.states wrote other contents than those of the objects numbered below `count`.
     */
    boolean changed(int count) throws IOException, Malformed {
        boolean changed = false;
        for (int number = 0; number < count; number++) {
            Object object = objects.get(number);
            if (kinds.canChange(object)) {
                String kind = kindOf(object);
                changed |= !alike(partsOf(kind, object), parts(0));
            }
        }
        return changed;
    }

    /** Gives the objects numbered below `count` the contents that Encoder.states wrote. */
    void states(int count) throws IOException, Malformed {
        for (int number = 0; number < count; number++) {
            Object object = objects.get(number);
            if (kinds.canChange(object)) {
                String kind = kindOf(object);
                Object[] parts = parts(0);
                if (!alike(partsOf(kind, object), parts)) {
                    fill(kind, noted(object), parts);
                }
            }
        }
    }

    Object value() throws IOException, Malformed {
        return value(0);
    }

    private Object value(int depth) throws IOException, Malformed {
        if (depth > Codec.DEPTH) {
            throw new Malformed("a value that is too deep");
        }
        int tag = tag();
        switch (tag) {
            case Codec.NULL:
                return null;
            case Codec.KNOWN:
                return known(number());
            case Codec.TEXT:
            case Codec.INTERNED:
                return text(tag == Codec.INTERNED);
            case Codec.OBJECT:
                return object(depth);
            default:
                return scalar(tag);
        }
    }

    private Object scalar(int tag) throws IOException, Malformed {
        switch (tag) {
            case Codec.TRUE:
                return true;
            case Codec.FALSE:
                return false;
            case Codec.BYTE:
                return in.readByte();
            case Codec.SHORT:
                return in.readShort();
            case Codec.CHAR:
                return in.readChar();
            case Codec.INT:
                return in.readInt();
            case Codec.LONG:
                return in.readLong();
            case Codec.FLOAT:
                return Float.intBitsToFloat(in.readInt());
            case Codec.DOUBLE:
                return Double.longBitsToDouble(in.readLong());
            default:
                throw new Malformed("no tag of a value: " + tag);
        }
    }

    private Object known(int number) throws Malformed {
        Object found = number < 0 || number >= objects.size() ? null : objects.get(number);
        if (found == null) {
            throw new Malformed("no object has this number: " + number);
        }
        return found;
    }

    private String text(boolean interned) throws IOException, Malformed {
        int length = number();
        if (length < 0 || length > in.available() / 2) {
            throw new Malformed("a text of " + length + " characters");
        }
        char[] characters = new char[length];
        for (int at = 0; at < length; at++) {
            characters[at] = in.readChar();
        }
        String text = new String(characters);
        objects.add(interned ? text.intern() : text);
        return (String) objects.get(objects.size() - 1);
    }

    private Object object(int depth) throws IOException, Malformed {
        String kind = name();
        int number = objects.size();
        Object made = kinds.created(kind);
        objects.add(made);
        Object[] parts = parts(depth);
        if (made != null) {
            fill(kind, noted(made), parts);
            return made;
        }
        objects.set(number, noted(made(kind, parts)));
        return objects.get(number);
    }

    private Object[] parts(int depth) throws IOException, Malformed {
        int count = number();
        left -= Math.max(count, 0);
        if (count < 0 || count > in.available() || left < 0) {
            throw new Malformed("a value with " + count + " parts");
        }
        Object[] parts = new Object[count];
        for (int at = 0; at < count; at++) {
            parts[at] = value(depth + 1);
        }
        return parts;
    }

    private String kindOf(Object object) throws Malformed {
        try {
            return kinds.of(object);
        } catch (NotPlain e) {
            throw new Malformed(e.getMessage());
        }
    }

    private Object[] partsOf(String kind, Object object) throws Malformed {
        try {
            return kinds.parts(kind, object);
        } catch (NotPlain e) {
            throw new Malformed(e.getMessage());
        }
    }

    private static boolean alike(Object[] some, Object[] others) {
        boolean alike = some.length == others.length;
        for (int at = 0; alike && at < some.length; at++) {
            alike = some[at] == others[at] || isValue(some[at]) && equal(some[at], others[at]);
        }
        return alike;
    }

    private static boolean isValue(Object value) {
        return value instanceof Boolean || value instanceof Character || value instanceof String
                || value instanceof byte[]
                || value instanceof Number && value.getClass().getName().startsWith("java.lang.");
    }

    private static boolean equal(Object one, Object other) {
        return one instanceof byte[] && other instanceof byte[]
                ? Arrays.equals((byte[]) one, (byte[]) other) : one.equals(other);
    }

    private void fill(String kind, Object object, Object[] parts) throws Malformed {
        try {
            kinds.fill(kind, object, parts);
        } catch (RuntimeException | ReflectiveOperationException e) {
            throw new Malformed("contents that a " + kind + " does not take: " + e);
        }
    }

    private Object made(String kind, Object[] parts) throws Malformed {
        try {
            return kinds.made(kind, parts);
        } catch (RuntimeException | ReflectiveOperationException e) {
            throw new Malformed("no parts of a " + kind + ": " + e);
        }
    }
}
