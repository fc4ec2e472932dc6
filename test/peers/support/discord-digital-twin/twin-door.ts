import { type WebSocket, WebSocketServer } from 'ws';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { answerWith, createDoor, passTo } from '../door.ts';
import { type BridgeParts, bridgeGateway } from './gateway-bridge.ts';

/** What stands behind the door. */
export interface BehindDoor extends Pick<BridgeParts, 'findMessage'> {
  readonly port: number;
  /** The slash commands for everybody. */
  readonly commands: () => Promise<readonly JsonObject[]>;
}

/** A request of the bot, as it was answered. */
export interface TwinCall {
  readonly method: string;
  /** Without the version and what is asked for in the query. */
  readonly path: string;
  readonly status: number;
}

export type TwinDoor = ReturnType<typeof createTwinDoor>;

const commandsPath = /^\/applications\/\d+\/commands$/;

/**
 * Stands before the twin and adds what a bot can't do without: the list of the commands that are registered, and an answer
 * to those who want to resume. All else goes to the twin. `stands` must be called before anything is asked.
 */
export function createTwinDoor() {
  const calls: TwinCall[] = [];
  const bots = new Set<WebSocket>();
  let behind: BehindDoor | undefined;
  const inside = (): BehindDoor => {
    if (behind === undefined) throw new Error('There is nothing behind the door yet.');
    return behind;
  };
  const { server, mistakes, host, open, close } = createDoor(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const path = new URL(url, 'http://door').pathname.replace(/^\/api\/v10/, '');
    if (method === 'GET' && commandsPath.test(path)) answerWith(await inside().commands(), request, response);
    else await passTo(inside().port, request, response);
    calls.push({ method, path, status: response.statusCode });
  });
  const gatewayUrl = (): string => `ws://${host()}/gateway`;
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (bot) => {
      const { port, findMessage } = inside();
      const onMistake = (error: unknown): void => void mistakes.push(error);
      const twinUrl = `ws://127.0.0.1:${port}${request.url}`;
      bridgeGateway(bot, { twinUrl, gatewayUrl: gatewayUrl(), findMessage, onMistake });
      bots.add(bot);
      bot.on('close', () => bots.delete(bot));
    });
  });
  /** Breaks the connections to the gateway without a word. */
  const drop = (): void => {
    for (const bot of bots) bot.terminate();
  };
  return {
    /** What the bot has asked for, the oldest first. */
    calls,
    root: () => `http://${host()}`,
    gatewayUrl,
    open,
    drop,
    stands: (before: BehindDoor): void => {
      behind = before;
    },
    close: (): Promise<void> => {
      drop();
      return close();
    },
  };
}
