import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { SlackServer } from '../support/slack-server.ts';
import { slackClient } from './slack-client.ts';

/** A socket that acknowledges everything with the same answer. */
export class SocketAnswers {
  readonly #socket: WebSocket;
  answer: object = {};

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => {
      const { envelope_id } = JSON.parse(String(data));
      if (envelope_id !== undefined) socket.send(JSON.stringify({ envelope_id, payload: this.answer }));
    });
  }

  static async open(slack: SlackServer): Promise<SocketAnswers> {
    const { url = '' } = await slackClient(slack, slack.appToken).apps.connections.open({});
    const answers = new SocketAnswers(new WebSocket(url));
    await once(answers.#socket, 'message');
    return answers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }
}
