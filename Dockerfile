# Keyturn in a container. docs/deploy.md says how to run it, and what the sandbox for commands needs of Docker.
# All that lasts is below /data: the config, its .env, the database and the workspace.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/fakes/package.json packages/fakes/
COPY packages/page/package.json packages/page/
COPY packages/sdk/package.json packages/sdk/
# The optional packages bring Node, which the image has. No install script runs.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# What no process reads: the workspaces' links, types, source maps, SQLite's sources and its binaries for other platforms.
RUN rm -rf node_modules/@keyturn node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
 && find node_modules/better-sqlite3/prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' \) -delete

# The program, packed into few files that a start reads, and the page in the browser, of their sources. What builds them stays behind.
FROM node:24-bookworm-slim AS program
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/client packages/client
COPY packages/fakes packages/fakes
COPY packages/page packages/page
COPY packages/sdk/package.json packages/sdk/
RUN npm ci --ignore-scripts --no-audit --no-fund
RUN node node_modules/vite/bin/vite.js build packages/page && find packages/page/dist -name '*.map' -delete
COPY scripts scripts
COPY src src
COPY channels channels
RUN node scripts/build-image.ts

# Without npm, which takes as much room as half of Keyturn's dependencies.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates socat tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --uid 1000 --create-home keyturn \
 && install -d -o keyturn -g keyturn -m 700 /data
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/node_modules /app/node_modules
COPY package.json LICENSE config.example.json config.schema.json /app/
COPY --from=program /app/dist /app/dist
COPY --from=program /app/packages/page/dist /app/packages/page/dist
RUN install -d -o keyturn /app/dist/bundle/cache \
 && chmod +x /app/dist/src/start.js && ln -s /app/dist/src/start.js /usr/local/bin/keyturn
# The code is compiled once, by the user whose cache it is, in a chat that ends at once. Then nobody but root may write there.
USER keyturn
RUN mkdir /tmp/first && cd /tmp/first && echo | node --max-semi-space-size=4 /app/dist/src/start.js && rm -r /tmp/first
USER root
RUN chown -R root:root /app/dist/bundle/cache && chmod -R go=rX /app/dist/bundle/cache
USER keyturn
WORKDIR /data
VOLUME /data
# The daemon notes every 30 s that it is alive. This works with the gateway switched off, and finds a process that hangs.
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s CMD ["node", "--no-warnings", "-e", "const { DatabaseSync } = require('node:sqlite'); const row = new DatabaseSync('data/keyturn.db', { readOnly: true }).prepare('SELECT alive_at FROM lifetime').get(); process.exit(Date.now() - (row?.alive_at ?? 0) < 120000 ? 0 : 1)"]
# tini takes in the orphans of commands.
# What keeps the memory small after a burst of messages is as in src/find-node.js.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=65536 MALLOC_TRIM_THRESHOLD_=131072
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=4", "/app/dist/src/start.js"]
