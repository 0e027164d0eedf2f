# One image for all services and the console: the arguments name the module. It is checked by linters alone: there is no container
# engine where its tests run.

FROM python:3.11 AS build
WORKDIR /src
RUN python -m venv /app
COPY requirements-image.lock ./
RUN /app/bin/pip install --no-cache-dir --require-hashes -r requirements-image.lock
COPY pyproject.toml ./
COPY services services
COPY clients clients
COPY protos/gen protos/gen
RUN /app/bin/pip install --no-cache-dir --no-deps .

FROM build AS compile
COPY requirements-compile.lock ./
RUN /app/bin/pip install --no-cache-dir --require-hashes -r requirements-compile.lock
COPY scripts/compile.py scripts/
RUN /app/bin/python scripts/compile.py

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin fupan
COPY --from=build /app /app
# The same modules once more, some of them compiled.
COPY --from=compile /src/build/compiled /app/lib/python3.11/site-packages
ENV PATH=/app/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
EXPOSE 50051 50053 50052 9090 8080
ENTRYPOINT ["python", "-m"]
CMD ["services"]
