import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { DeviceFiles, ShownFile } from '../conversation/devices/device-files.ts';
import { fileFacts } from './file-facts.ts';
import { forOwnSession, type OwnSessionDependencies, type SessionRequest } from './own-session.ts';
import type { Route } from './routes.ts';

export interface FileRoutesDependencies extends OwnSessionDependencies {
  readonly files: Pick<DeviceFiles, 'shown' | 'shownIn'>;
}

/** The files that were shown in a session: which there are, and what is in them. */
export function fileRoutes({ files, ...dependencies }: FileRoutesDependencies): readonly Route[] {
  const own = forOwnSession(dependencies);
  return [
    {
      method: 'GET',
      path: '/api/sessions/:id/files',
      who: 'device',
      handle: own(async ({ context, sessionId }) => {
        const shown = await files.shownIn(sessionId);
        return context.json({ session_id: sessionId, files: shown.map(listed) });
      }),
    },
    {
      method: 'GET',
      path: '/api/sessions/:id/files/:file',
      who: 'device',
      // A page that has no token can show it all the same.
      takesTickets: true,
      handle: own((request) => bytesOf(request, files)),
    },
  ];
}

function listed(file: ShownFile) {
  return { ...fileFacts(file), created_at: new Date(file.at).toISOString() };
}

async function bytesOf({ context, sessionId }: SessionRequest, files: FileRoutesDependencies['files']) {
  const found = await files.shown(sessionId, context.req.param('file') ?? '');
  const opened = found === undefined ? undefined : await openIfThere(found.path);
  if (found === undefined || opened === undefined)
    return context.json({ error: 'There is no such file here, or no longer.' }, 404);
  // Whoever asks for the head alone reads nothing, and nobody would close it.
  if (context.req.method === 'GET')
    return context.body(Readable.toWeb(opened.createReadStream()), 200, headersOf(found.file));
  await opened.close();
  return context.body(null, 200, headersOf(found.file));
}

function headersOf({ name, mediaType, size }: ShownFile): Record<string, string> {
  return {
    'Content-Type': /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream',
    'Content-Length': String(size),
    // Whatever it is, it is no page of this door's own.
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Content-Security-Policy': 'sandbox',
  };
}

async function openIfThere(path: string) {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
