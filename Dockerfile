# docker build -t proxysim .
# docker run --rm -p 127.0.0.1:4010:4010 -e PROXYSIM_ADMIN_TOKEN=choose-one -v proxysim:/data proxysim
#
# Inside, it listens on all addresses, so the control plane requires a token. Every flag of `proxysim serve` is set by its
# variable: -e PROXYSIM_SCENARIO=low-funds, -e PROXYSIM_IN_MEMORY=1, and -e PROXYSIM_ALLOWED_HOST=sim to be reached under
# another name than localhost (`http://sim:4010` in a compose file).

# By its digest, so that a build is the same tomorrow; another one with --build-arg NODE_IMAGE=…
ARG NODE_IMAGE=node:22.17.0-alpine@sha256:5340cbfc2df14331ab021555fdd9f83f072ce811488e705b0e736b11adeec4bb

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM ${NODE_IMAGE}
RUN apk add --no-cache tini && mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /app/package.json /app/openapi.yaml /app/admin.openapi.yaml /app/scenario.schema.json ./
COPY --from=build /app/scenarios ./scenarios
COPY --from=build /app/fixtures ./fixtures
COPY --from=build /app/dist ./dist
RUN ln -s /app/dist/cli.js /usr/local/bin/proxysim
# By its number, or Kubernetes' runAsNonRoot refuses it.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4010
EXPOSE 4010
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD url="127.0.0.1:$PORT/__admin/health"; wget -qO /dev/null "http://$url" || wget --no-check-certificate -qO /dev/null "https://$url" || exit 1
# So the default, data/db.json, is in the volume, and a variable may name another place.
WORKDIR /
# tini hands SIGTERM on and reaps what `exec` leaves behind.
ENTRYPOINT ["/sbin/tini", "--"]
CMD ["proxysim", "serve"]
