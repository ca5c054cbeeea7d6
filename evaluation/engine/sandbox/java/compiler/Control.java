package assay.compiler;

import java.util.Map;
import jdk.internal.org.objectweb.asm.ClassReader;
import jdk.internal.org.objectweb.asm.ClassVisitor;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Label;
import jdk.internal.org.objectweb.asm.MethodVisitor;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;

/**
 * A subclass whose method calls the candidate's own, forgets what it returned or threw, and throws.
 * Made as byte code, since no text of ours could repeat every declaration.
 */
record Control(String method, int parameters, String of, String name) {
    private static final int UNTOUCHABLE =
            Opcodes.ACC_STATIC | Opcodes.ACC_PRIVATE | Opcodes.ACC_ABSTRACT | Opcodes.ACC_BRIDGE;

    /** The class; null where none is asked for, or the class or its method is final. */
    byte[] of(Map<String, byte[]> classes) {
        byte[] own = classes.get(of);
        if (method.isEmpty() || own == null || isFinal(own)) {
            return null;
        }
        ClassWriter made = new Writer();
        made.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, of, null);
        constructor(made);
        // The method may be that of a superclass among the generation's own.
        for (byte[] at = own; at != null; at = classes.get(new ClassReader(at).getSuperName())) {
            Overriding found = new Overriding(made);
            new ClassReader(at).accept(found, ClassReader.SKIP_CODE);
            if (found.ended) {
                return null;
            }
            if (found.count > 0) {
                made.visitEnd();
                return made.toByteArray();
            }
        }
        return null;
    }

    private static boolean isFinal(byte[] own) {
        return (new ClassReader(own).getAccess() & Opcodes.ACC_FINAL) != 0;
    }

    private void constructor(ClassWriter made) {
        MethodVisitor code = made.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "()V", null, null);
        code.visitCode();
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, of, "<init>", "()V", false);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
    }

    private final class Overriding extends ClassVisitor {
        private final ClassWriter made;
        int count;
        boolean ended;

        Overriding(ClassWriter made) {
            super(Opcodes.ASM8);
            this.made = made;
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String called, String type, String generic, String[] thrown) {
            if (called.equals(method)
                    && Type.getArgumentTypes(type).length == parameters
                    && (access & UNTOUCHABLE) == 0) {
                count++;
                ended |= (access & Opcodes.ACC_FINAL) != 0;
                override(called, type);
            }
            return null;
        }

        private void override(String called, String type) {
            MethodVisitor code = made.visitMethod(Opcodes.ACC_PUBLIC, called, type, null, null);
            code.visitCode();
            Label from = new Label();
            Label to = new Label();
            Label caught = new Label();
            code.visitTryCatchBlock(from, to, caught, "java/lang/Throwable");
            code.visitLabel(from);
            code.visitVarInsn(Opcodes.ALOAD, 0);
            int slot = 1;
            for (Type each : Type.getArgumentTypes(type)) {
                code.visitVarInsn(each.getOpcode(Opcodes.ILOAD), slot);
                slot += each.getSize();
            }
            code.visitMethodInsn(Opcodes.INVOKESPECIAL, of, called, type, false);
            int size = Type.getReturnType(type).getSize();
            if (size > 0) {
                code.visitInsn(size == 2 ? Opcodes.POP2 : Opcodes.POP);
            }
            code.visitLabel(to);
            fail(code);
            code.visitLabel(caught);
            code.visitInsn(Opcodes.POP);
            fail(code);
            code.visitMaxs(0, 0);
            code.visitEnd();
        }

        /** The same as a method throws that nobody wrote. */
        private void fail(MethodVisitor code) {
            code.visitTypeInsn(Opcodes.NEW, "java/lang/RuntimeException");
            code.visitInsn(Opcodes.DUP);
            code.visitLdcInsn("Not implemented");
            code.visitMethodInsn(
                    Opcodes.INVOKESPECIAL, "java/lang/RuntimeException", "<init>",
                    "(Ljava/lang/String;)V", false);
            code.visitInsn(Opcodes.ATHROW);
        }
    }

    /** Looks no class up: those of a generation are nowhere to be found. */
    private static final class Writer extends ClassWriter {
        Writer() {
            super(ClassWriter.COMPUTE_FRAMES);
        }

        @Override
        protected String getCommonSuperClass(String one, String other) {
            return "java/lang/Object";
        }
    }
}
