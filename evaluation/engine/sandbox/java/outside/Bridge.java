package assay.outside;

import java.io.IOException;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks the candidate's JVM for a stand-in. What an answer may change is what the question held;
 * an answer of another form ends the run.
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

    /** Why no verdict can be had of the evaluation; null where one can. */
    String failure() {
        return failure;
    }

    synchronized void load() throws Throwable {
        List<Object> objects = new ArrayList<>();
        asked(question(Candidate.LOAD, objects), objects);
    }

    synchronized void make(Object standIn) throws Throwable {
        List<Object> objects = new ArrayList<>();
        asked(question(Candidate.MAKE, objects), objects);
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
        Object value = asked(out, objects);
        Class<?> type =
                MethodType.fromMethodDescriptorString(descriptor, loader).wrap().returnType();
        boolean fits = value == null ? !method(descriptor).isPrimitive() : type.isInstance(value);
        if (!fits) {
            throw over("failed a result of another type");
        }
        return value;
    }

    private Class<?> method(String descriptor) {
        Class<?> type = MethodType.fromMethodDescriptorString(descriptor, loader).returnType();
        return type == void.class ? Void.class : type;
    }

    private Encoder question(int kind, List<Object> objects) throws IOException {
        Encoder out = new Encoder(kinds, objects);
        out.number(++questions);
        out.tag(kind);
        return out;
    }

    /** What the candidate's method returns; throws what it throws. */
    private Object asked(Encoder question, List<Object> objects) throws Throwable {
        if (failure != null) {
            throw over(failure);
        }
        int known = objects.size();
        byte[] answer = exchanged(question);
        Throwable thrown = null;
        Object value = null;
        try {
            Decoder in = new Decoder(kinds, objects, answer);
            if (in.number() != questions) {
                throw new Malformed("an answer to another question");
            }
            int how = in.tag();
            if (how == Crossing.NOT_PLAIN) {
                throw new Malformed("not plain: " + in.value());
            }
            in.states(known);
            if (how == Crossing.THREW) {
                thrown = Crossing.read(in);
            } else if (how == Crossing.RETURNED) {
                value = in.value();
            } else {
                throw new Malformed("no tag of an answer");
            }
            in.end();
        } catch (Malformed e) {
            throw over("failed " + e.getMessage());
        } catch (IOException | RuntimeException e) {
            throw over("failed an answer that is not well-formed");
        } catch (StackOverflowError | OutOfMemoryError e) {
            throw over("failed an answer that is too large");
        }
        if (thrown != null) {
            throw thrown;
        }
        return value;
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

    /** The run has ended, whatever the evaluation makes of it. */
    private static final class Over extends Error {
        Over(String why) {
            super(why);
        }
    }
}
