# syntax=docker/dockerfile:1
# A small image of `tagloom serve`: no compiler, no pip, no root. It writes nothing, so that it runs with --read-only.
#
#   docker build -t tagloom .
#   docker run --read-only --cap-drop ALL -p 127.0.0.1:8000:8000 -v "$PWD/models:/models:ro" tagloom /models/ner.tagloom

ARG PYTHON=3.13-slim-bookworm

# The package is built with locked tools, and installed with locked dependencies.
FROM python:${PYTHON} AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /source
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
COPY tools/requirements tools/requirements
RUN pip install --require-hashes -r tools/requirements/build.txt
COPY pyproject.toml CMakeLists.txt README.md LICENSE ./
COPY cpp cpp
COPY src src
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels .
RUN python -m venv --without-pip /opt/tagloom \
  && pip --python /opt/tagloom/bin/python install -c tools/requirements/runtime.txt "$(echo /wheels/*.whl)[serve]"

FROM python:${PYTHON}
COPY --from=build /opt/tagloom /opt/tagloom
ENV PATH=/opt/tagloom/bin:$PATH PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /models
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["tagloom", "serve", "--host", "0.0.0.0", "--port", "8000"]
CMD ["--help"]
