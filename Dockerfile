# crier as a container image: one static binary, no shell, not root. It writes only to /data, so the root file
# system can be read-only.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=devel
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /crier ./cmd/crier \
    && mkdir /data && chown 65532:65532 /data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /crier /crier
COPY --from=build --chown=65532:65532 /data /data
USER 65532:65532
ENV CRIER_DATA_DIR=/data CRIER_LISTEN=:8080 CRIER_METRICS_LISTEN=:9090 CRIER_LOG_FORMAT=json TMPDIR=/data
VOLUME /data
EXPOSE 8080 9090
ENTRYPOINT ["/crier"]
CMD ["serve"]
