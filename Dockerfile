# Assay for production: one image, five commands (web, worker, reconciler, notifier, migrate).
# How to build and run it: docs/operators/deployment.md. Needs no BuildKit.
#
#   docker build -t assay .
#
# BASE is any Linux with a Python 3.11 or newer that has pip and venv.
ARG BASE=python:3.11-slim-bookworm

# Build arguments and certificates stay in this stage: nothing of it is in the image's history.
FROM ${BASE} AS packages
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_TRUSTED_HOST
WORKDIR /build
# ca-bundle.crt is used where it lies beside this file; the brackets let it be absent.
COPY requirements.lock ca-bundle.cr[t] ./
# What the code runs on, without the tools for tests: the very files that were tested.
RUN sed '/^# Tools for tests/,$d' requirements.lock > wanted.txt \
    && python3 -m venv --without-pip /opt/assay \
    && if [ -e ca-bundle.crt ]; then export PIP_CERT=/build/ca-bundle.crt; fi \
    && python3 -m pip --python /opt/assay/bin/python install \
        --no-cache-dir --no-compile --disable-pip-version-check \
        --require-hashes --requirement wanted.txt \
    && /opt/assay/bin/python -m compileall -q /opt/assay
COPY . /app
# The site's user changes none of it, whatever the modes beside this file.
RUN rm -f /app/ca-bundle.crt && chmod -R u=rwX,go=rX /app /opt/assay

FROM ${BASE}
RUN useradd --uid 10001 --user-group --home-dir /var/lib/assay --no-create-home assay \
    && install -d -o assay -g assay -m 700 /var/lib/assay /var/lib/assay/uploads \
        /var/lib/assay/state /tmp/assay-slots-10001
COPY --from=packages /opt/assay /opt/assay
COPY --from=packages /app /app
WORKDIR /app
ENV PATH=/opt/assay/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    ASSAY_EMBEDDED=0 \
    ASSAY_DATA_DIR=/var/lib/assay \
    ASSAY_STATE_DIR=/var/lib/assay/state \
    ASSAY_STATIC_DIR=/opt/assay/static
# Still as root, so that the files are its own. The key is for this one command: it signs nothing
# and is not kept.
RUN ASSAY_SECRET_KEY="$(python -c 'import secrets; print(secrets.token_urlsafe(50))')" \
    ASSAY_VALKEY_URL=redis://none:6379/0 DATABASE_URL=postgresql://none/none \
    python manage.py collectstatic --no-input --verbosity 0
USER assay
EXPOSE 8000
# For the pages; compose.yaml has others for the other commands.
HEALTHCHECK --interval=15s --timeout=6s --start-period=60s CMD ["python", "-m", "leaderboard.healthy"]
ENTRYPOINT ["sh", "/app/scripts/container.sh"]
CMD ["web"]
