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
 * Evaluates in a JVM that stays warm, one run after the other, each with classes of its own. No
 * code of a candidate's runs here.
 *
 * <p>A frame is a run's request (see Run), an answer of the candidate's JVM behind ANSWER, or
 * GONE. Told are an empty frame once it is ready, questions behind QUESTION, and a run's report
 * behind DONE.
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
            // Nobody has a run any more.
        }
    }

    private static byte[] done(Frames frames, byte[] request)
            throws IOException, InterruptedException {
        Run run = new Run(frames, new DataInputStream(new ByteArrayInputStream(request)));
        // Of its own, so that nothing of a thread outlasts a run.
        Thread thread = new Thread(run, "evaluation");
        thread.setContextClassLoader(run.loader());
        thread.start();
        thread.join();
        return ((char) DONE + run.report()).getBytes(StandardCharsets.UTF_8);
    }
}
