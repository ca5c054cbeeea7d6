package assay.outside;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The generation's side: loads its class, makes instances, calls their methods. A candidate can
 * replace every part of this process, so all output is only the candidate's claim.
 *
 * <p>The arguments: the class, and the classes that cross by their fields.
 */
public final class Candidate {
    static final int LOAD = 0, MAKE = 1, CALL = 2;

    private final List<Object> instances = new ArrayList<>();
    private final String name;
    private final Kinds kinds;

    private Candidate(List<String> names) {
        name = names.get(0);
        kinds = new Kinds(ClassLoader.getSystemClassLoader(), names.subList(1, names.size()));
    }

    public static void main(String[] arguments) {
        Frames frames = new Frames();
        System.setIn(InputStream.nullInputStream());
        Candidate candidate = new Candidate(Arrays.asList(arguments));
        try {
            while (true) {
                frames.write(candidate.answer(frames.read()));
            }
        } catch (IOException e) {
            // The judge has closed the connection.
        }
        Runtime.getRuntime().halt(0);
    }

    private byte[] answer(byte[] question) throws IOException {
        List<Object> objects = new ArrayList<>();
        try {
            Decoder in = new Decoder(kinds, objects, question);
            int number = in.number();
            Object value = null;
            Throwable thrown = null;
            int known = 0;
            try {
                int asked = in.tag();
                if (asked != CALL) {
                    loadedOrMade(asked);
                } else {
                    Call call = new Call(in);
                    known = objects.size();
                    value = call.made();
                }
            } catch (InvocationTargetException e) {
                thrown = e.getCause();
            } catch (ReflectiveOperationException | LinkageError e) {
                thrown = e;
            }
            Encoder out = new Encoder(kinds, objects);
            out.number(number);
            out.tag(thrown == null ? Crossing.RETURNED : Crossing.THREW);
            out.states(known);
            if (thrown == null) {
                out.value(value);
            } else {
                Crossing.write(out, thrown);
            }
            return out.written();
        } catch (NotPlain e) {
            return refused(question, e.getMessage());
        } catch (Malformed | RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return refused(question, "a value that cannot be taken apart: " + e);
        }
    }

    private byte[] refused(byte[] question, String why) throws IOException {
        try {
            Encoder out = new Encoder(kinds, new ArrayList<>());
            out.number(new Decoder(kinds, new ArrayList<>(), question).number());
            out.tag(Crossing.NOT_PLAIN);
            out.value(why);
            return out.written();
        } catch (NotPlain e) {
            throw new IOException(e);
        }
    }

    private void loadedOrMade(int asked) throws ReflectiveOperationException {
        Class<?> type = Class.forName(name);
        if (asked == MAKE) {
            instances.add(type.getDeclaredConstructor().newInstance());
        }
    }

    private final class Call {
        private final Object instance;
        private final String base;
        private final String method;
        private final String descriptor;
        private final Object[] arguments;

        Call(Decoder in) throws IOException, Malformed {
            instance = instances.get(in.number());
            base = in.name();
            method = in.name();
            descriptor = in.name();
            arguments = (Object[]) in.value();
        }

        Object made() throws ReflectiveOperationException {
            ClassLoader loader = ClassLoader.getSystemClassLoader();
            Class<?>[] taken =
                    MethodType.fromMethodDescriptorString(descriptor, loader).parameterArray();
            return Class.forName(base).getMethod(method, taken).invoke(instance, arguments);
        }
    }
}
