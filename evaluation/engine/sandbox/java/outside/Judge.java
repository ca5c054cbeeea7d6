package assay.outside;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Runs evaluations in a JVM that stays warm, one after the other, each with its own classes. No
 * code of a candidate runs here.
 *
 * <p>Reads frames: a run's request (see Run), an answer of the candidate's JVM after the byte
 * ANSWER, or the byte GONE. Writes frames: an empty one when it is ready, questions after the byte
 * QUESTION, and a run's report after the byte DONE.
 */
public final class Judge {
    private static final int DONE = 'D';

    private Judge() {}

    public static void main(String[] none) throws Exception {
        Frames frames = new Frames();
        System.setIn(InputStream.nullInputStream());
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(System.out);
        frames.write(new byte[0]);
        try {
            while (true) {
                frames.write(done(frames, frames.read()));
            }
        } catch (EOFException e) {
            // There are no more runs.
        }
    }

    private static byte[] done(Frames frames, byte[] request)
            throws IOException, InterruptedException {
        Run run = new Run(frames, new DataInputStream(new ByteArrayInputStream(request)));
        // A separate thread, so that no state of a thread outlasts a run.
        Thread thread = new Thread(run, "evaluation");
        thread.setContextClassLoader(run.loader());
        thread.start();
        thread.join();
        return ((char) DONE + run.report()).getBytes(StandardCharsets.UTF_8);
    }
}
