package assay.outside;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes values as tagged plain data. Objects are numbered from 0 in their order; a repeated object
 * is written as its number. Decoder assigns the same numbers.
 */
final class Encoder {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();
    private final List<Object> objects;
    private final Kinds kinds;
    private int left = Codec.VALUES;

    /** Continues the numbering of `objects`, and adds to them. */
    Encoder(Kinds kinds, List<Object> objects) {
        this.kinds = kinds;
        this.objects = objects;
        for (int number = 0; number < objects.size(); number++) {
            numbers.put(objects.get(number), number);
        }
    }

    byte[] written() throws NotPlain {
        if (bytes.size() > Frames.MOST) {
            throw new NotPlain("more than " + Frames.MOST + " bytes");
        }
        return bytes.toByteArray();
    }

    void tag(int tag) throws IOException {
        out.writeByte(tag);
    }

    void number(int number) throws IOException {
        out.writeInt(number);
    }

    /** Writes a name of less than 65,536 bytes. */
    void name(String name) throws IOException {
        out.writeUTF(name);
    }

    /** Writes the contents of those objects numbered below `count` that can change. */
    void states(int count) throws IOException, NotPlain {
        for (int number = 0; number < count; number++) {
            Object object = objects.get(number);
            if (kinds.canChange(object)) {
                parts(kinds.parts(kinds.of(object), object), 0);
            }
        }
    }

    void value(Object value) throws IOException, NotPlain {
        value(value, 0);
    }

    private void value(Object value, int depth) throws IOException, NotPlain {
        if (--left < 0 || depth > Codec.DEPTH || bytes.size() > Frames.MOST) {
            throw new NotPlain("a value that is too large or too deep");
        }
        if (value == null) {
            tag(Codec.NULL);
        } else if (value instanceof Number && numeric(value) || other(value)) {
            return;
        } else if (numbers.containsKey(value)) {
            tag(Codec.KNOWN);
            number(numbers.get(value));
        } else {
            object(value, depth);
        }
    }

    private boolean other(Object value) throws IOException {
        if (value instanceof Boolean) {
            tag((Boolean) value ? Codec.TRUE : Codec.FALSE);
        } else if (value instanceof Character) {
            tag(Codec.CHAR);
            out.writeChar((Character) value);
        } else {
            return false;
        }
        return true;
    }

    private boolean numeric(Object value) throws IOException {
        if (value instanceof Integer) {
            tag(Codec.INT);
            out.writeInt((Integer) value);
        } else if (value instanceof Long) {
            tag(Codec.LONG);
            out.writeLong((Long) value);
        } else if (value instanceof Double) {
            tag(Codec.DOUBLE);
            out.writeLong(Double.doubleToRawLongBits((Double) value));
        } else if (value instanceof Float) {
            tag(Codec.FLOAT);
            out.writeInt(Float.floatToRawIntBits((Float) value));
        } else if (value instanceof Short) {
            tag(Codec.SHORT);
            out.writeShort((Short) value);
        } else if (value instanceof Byte) {
            tag(Codec.BYTE);
            out.writeByte((Byte) value);
        } else {
            return false;
        }
        return true;
    }

    private void object(Object value, int depth) throws IOException, NotPlain {
        numbers.put(value, objects.size());
        objects.add(value);
        if (value instanceof String) {
            text((String) value);
            return;
        }
        String kind = kinds.of(value);
        tag(Codec.OBJECT);
        name(kind);
        parts(kinds.parts(kind, value), depth);
    }

    private void parts(Object[] parts, int depth) throws IOException, NotPlain {
        number(parts.length);
        for (Object each : parts) {
            value(each, depth + 1);
        }
    }

    private void text(String text) throws IOException, NotPlain {
        if (text.length() > Frames.MOST / 2) {
            throw new NotPlain("a text of " + text.length() + " characters");
        }
        // A copy is interned, because interning the text itself could make it the interned one.
        tag(new String(text).intern() == text ? Codec.INTERNED : Codec.TEXT);
        number(text.length());
        out.writeChars(text);
    }
}
