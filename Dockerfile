# docker build -t proxysim .
# docker run --rm -p 127.0.0.1:4010:4010 -e PROXYSIM_ADMIN_TOKEN=choose-one -v proxysim:/data proxysim
#
# In the container, the simulator listens on all addresses, so its control plane requires a token. Each flag of
# `proxysim serve` has a variable, such as -e PROXYSIM_SCENARIO=low-funds or -e PROXYSIM_IN_MEMORY=1. To call the simulator
# by a name other than localhost (`http://sim:4010` in a compose file), set -e PROXYSIM_ALLOWED_HOST=sim.

# The newest release of its line on 2026-11-28. `.ci/run` notes when that is more than a year ago. Choose another image with
# --build-arg NODE_IMAGE=…, pinned by its digest for repeatable builds.
ARG NODE_IMAGE=node:24.21.0-alpine

# The build is the same for all platforms, so it isn't emulated.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
RUN apk add --no-cache tini && mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/LICENSE /app/package.json /app/openapi.yaml /app/admin.openapi.yaml /app/scenario.schema.json ./
COPY --from=build /app/scenarios ./scenarios
COPY --from=build /app/fixtures ./fixtures
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/cli.js /usr/local/bin/proxysim
# Numeric, because Kubernetes' runAsNonRoot rejects user names.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010
EXPOSE 4010
VOLUME /data
# Asks at the port, host and TLS of the command that tini runs, and of the environment.
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["proxysim", "health", "--pid", "1"]
# The default --db, data/db.json, is relative, so this puts it into the volume.
WORKDIR /
# tini forwards SIGTERM, and reaps processes that `exec` leaves behind.
ENTRYPOINT ["/sbin/tini", "--"]
CMD ["proxysim", "serve"]
