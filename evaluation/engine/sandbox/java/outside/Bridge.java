package assay.outside;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks the candidate's JVM on behalf of a stand-in. An answer may change only the objects of its
 * question; an answer of another form ends the run.
 */
final class Bridge {
    static final int QUESTION = 'Q', ANSWER = 'A', GONE = 'G';

    private final Frames frames;
    private final Kinds kinds;
    private final ClassLoader loader;
    private final Map<Object, Integer> instances = new IdentityHashMap<>();
    private int questions;
    private int calls;
    private String failure;

    Bridge(Frames frames, Kinds kinds, ClassLoader loader) {
        this.frames = frames;
        this.kinds = kinds;
        this.loader = loader;
    }

    int calls() {
        return calls;
    }

    /** Why the evaluation can have no verdict; null if it can. */
    String failure() {
        return failure;
    }

    synchronized void load() throws Throwable {
        List<Object> objects = new ArrayList<>();
        asked(question(Candidate.LOAD, objects), objects, false);
    }

    synchronized void make(Object standIn) throws Throwable {
        List<Object> objects = new ArrayList<>();
        asked(question(Candidate.MAKE, objects), objects, false);
        instances.put(standIn, instances.size());
    }

    synchronized Object call(
            Object standIn, String base, String method, String descriptor, Object[] arguments)
            throws Throwable {
        calls++;
        List<Object> objects = new ArrayList<>();
        Encoder out = question(Candidate.CALL, objects);
        try {
            out.number(instances.get(standIn));
            out.name(base);
            out.name(method);
            out.name(descriptor);
            out.value(arguments);
        } catch (NotPlain e) {
            throw over("failed an argument is not plain: " + e.getMessage());
        }
        MethodType type = MethodType.fromMethodDescriptorString(descriptor, loader);
        boolean nothing = type.returnType() == void.class;
        Object value = asked(out, objects, nothing);
        boolean fits = value == null
                ? nothing || !type.returnType().isPrimitive()
                : type.wrap().returnType().isInstance(value);
        if (!fits) {
            throw over("failed a result of another type");
        }
        return value;
    }

    private Encoder question(int kind, List<Object> objects) throws IOException {
        Encoder out = new Encoder(kinds, objects);
        out.number(++questions);
        out.tag(kind);
        return out;
    }

    /** Returns the result of the candidate's method, or throws its exception. */
    private Object asked(Encoder question, List<Object> objects, boolean changes)
            throws Throwable {
        if (failure != null) {
            throw over(failure);
        }
        byte[] answer = exchanged(question);
        Object value;
        try {
            value = read(answer, objects, changes);
        } catch (Malformed | NotPlain e) {
            throw over("failed " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            throw over("failed an answer that is not well-formed");
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw over("failed an answer that is too large");
        }
        if (value instanceof Thrown) {
            throw ((Thrown) value).error;
        }
        return value;
    }

    /**
     * Only a method without a result changes the evaluation's own objects: otherwise a candidate
     * could set what an evaluation compares a result with. If another method has changed them, its
     * result refers to changed copies.
     */
    private Object read(byte[] answer, List<Object> objects, boolean changes)
            throws IOException, Malformed, NotPlain {
        int known = objects.size();
        List<Object> told = new ArrayList<>(objects);
        Decoder in = new Decoder(kinds, told, answer);
        int how = opened(in);
        if (in.changed(known)) {
            told = new ArrayList<>();
            for (Object each : objects) {
                told.add(changes ? each : kinds.shell(each));
            }
            in = new Decoder(kinds, told, answer);
            opened(in);
            in.states(known);
        }
        Object value = how == Crossing.THREW ? new Thrown(Crossing.read(in)) : in.value();
        in.end();
        return value;
    }

    private int opened(Decoder in) throws IOException, Malformed {
        if (in.number() != questions) {
            throw new Malformed("an answer to another question");
        }
        int how = in.tag();
        if (how == Crossing.NOT_PLAIN) {
            throw new Malformed("not plain: " + in.value());
        } else if (how != Crossing.RETURNED && how != Crossing.THREW) {
            throw new Malformed("no tag of an answer");
        }
        return how;
    }

    private byte[] exchanged(Encoder question) throws IOException {
        byte[] body;
        try {
            body = question.written();
        } catch (NotPlain e) {
            throw over("failed an argument is not plain: " + e.getMessage());
        }
        byte[] asked = new byte[body.length + 1];
        asked[0] = QUESTION;
        System.arraycopy(body, 0, asked, 1, body.length);
        frames.write(asked);
        byte[] answer = frames.read();
        if (answer[0] != ANSWER) {
            throw over("gone");
        }
        return Arrays.copyOfRange(answer, 1, answer.length);
    }

    private Over over(String why) {
        failure = why;
        return new Over(why);
    }

    private static final class Thrown {
        final Throwable error;

        Thrown(Throwable error) {
            this.error = error;
        }
    }

    /** Ends the run, even if the evaluation catches it. */
    private static final class Over extends Error {
        Over(String why) {
            super(why);
        }
    }
}
