import { randomUUID } from 'node:crypto';
import { anotherAnswerEvent } from '../agent/daemon-event.ts';
import type { Origin } from '../approval/approval.ts';
import type { ChannelHost, InboundAttachment, Sender } from '../contract.ts';
import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { DeviceFiles } from '../conversation/devices/device-files.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { ArrivedFile } from './arriving-files.ts';
import { type ChatSessions, conversationOf, placeOf } from './chat-sessions.ts';
import type { ServerFrame } from './server-frames.ts';
import type { ErrorFrame, SessionOwners } from './session-owners.ts';

/** Who speaks, and in which session. */
export interface Speaker {
  readonly device: Device;
  readonly sessionId: string;
}

/** What is said. */
export interface SaidMessage {
  readonly content: string;
  /** The client's name for it. */
  readonly messageId?: string;
  readonly files: readonly ArrivedFile[];
}

export interface ChatDeskDependencies {
  /** What Keyturn is to the channel of devices, while that is connected. */
  readonly host: () => ChannelHost | undefined;
  readonly sessions: ChatSessions;
  readonly store: Pick<SessionStore, 'answerAgain'>;
  readonly files: Pick<DeviceFiles, 'receive' | 'settled'>;
  readonly owners: SessionOwners;
  readonly isPaired: (device: Device) => boolean;
  /** Ends the run of a conversation, as `/stop` does. Whether there was anything to end. */
  readonly stopRun: (origin: Origin) => Promise<boolean>;
  /** Something was stored that lets these conversations go on. */
  readonly wake: (conversationIds: readonly string[]) => void;
  readonly clock: Clock;
}

/** What people say and decide on devices, on its way to the core. Each answers with a frame for whoever has said it, if with any. */
export class ChatDesk {
  readonly #dependencies: ChatDeskDependencies;

  constructor(dependencies: ChatDeskDependencies) {
    this.#dependencies = dependencies;
  }

  /** Resolves once it is stored, with all its files. The same `messageId` said again is said once. */
  async say(speaker: Speaker, said: SaidMessage): Promise<ServerFrame | undefined> {
    const { sessions } = this.#dependencies;
    const { messageId } = said;
    const host = this.#dependencies.host();
    if (host === undefined) return closing;
    const objection = await this.#objection(speaker);
    const named = messageId === undefined ? {} : { message_id: messageId };
    if (objection !== undefined) return { ...objection, ...named };
    const { turn, stored } = sessions.of(speaker.sessionId).begin();
    try {
      if (!(await this.#store(host, speaker, said))) {
        turn.ends('aborted');
        return undefined;
      }
    } catch (error) {
      turn.ends('failed');
      turn.explain('This could not be stored, and will not be answered. Say it again.');
      host.log.warn({ err: error }, 'a message of a device could not be stored');
      // It is not confirmed: whoever waits for that says it again.
      return undefined;
    } finally {
      stored();
    }
    return messageId === undefined ? undefined : { type: 'message_accepted', message_id: messageId };
  }

  /** False if the device was revoked while its files were written. */
  async #store(
    host: ChannelHost,
    { device, sessionId }: Speaker,
    { content, messageId, files }: SaidMessage,
  ): Promise<boolean> {
    const { files: folder, clock, isPaired } = this.#dependencies;
    const key = `${device.id}:${messageId ?? randomUUID()}`;
    try {
      const bytes = files.map((file) => file.bytes);
      const handles = files.length === 0 ? [] : await folder.receive(key, bytes);
      if (!isPaired(device)) return false;
      await host.receive({
        type: 'message',
        key,
        conversation: placeOf(sessionId),
        sender: senderOf(device),
        text: content,
        addressed: true,
        sentAt: clock.now(),
        ...(files.length === 0 ? {} : { attachments: attachmentsOf(files, handles) }),
      });
      return true;
    } finally {
      folder.settled(key);
    }
  }

  /** Has the model answer once more. */
  async answerAgain(speaker: Speaker): Promise<ServerFrame | undefined> {
    const { store, wake, clock } = this.#dependencies;
    const { device, sessionId } = speaker;
    const objection = await this.#objection(speaker);
    if (objection !== undefined) return objection;
    const conversationId = conversationOf(sessionId);
    const isAsked = await store.answerAgain({
      conversationId,
      key: `${accountOf(device)}:${randomUUID()}`,
      principal: accountOf(device),
      name: device.personName,
      text: anotherAnswerEvent(device.personName),
      at: clock.now(),
    });
    if (!isAsked) return noMessage;
    wake([conversationId]);
    return undefined;
  }

  /** Takes a decision. Whether he may decide is for the approval to say. */
  async press(
    { device, sessionId }: Speaker,
    { id, actionId, reason }: { readonly id: string; readonly actionId: string; readonly reason?: string },
  ): Promise<ServerFrame> {
    const host = this.#dependencies.host();
    if (host === undefined) return closing;
    const { notice } = await host.receive({
      type: 'action',
      key: `${device.id}:${randomUUID()}`,
      conversation: placeOf(sessionId),
      sender: senderOf(device),
      actionId,
      ...(reason === undefined ? {} : { text: reason }),
    });
    if (notice === undefined) return { type: 'approval_ack', id, status: 'accepted' };
    return { type: 'approval_ack', id, status: 'refused', message: notice };
  }

  /** Ends what goes on in the session. Whether anything did. */
  async abort({ device, sessionId }: Speaker): Promise<boolean> {
    const { sessions, stopRun } = this.#dependencies;
    const conversation = placeOf(sessionId);
    const session = sessions.of(sessionId);
    const isStopped = await stopRun({
      key: `${accountOf(device)}:${randomUUID()}`,
      conversation,
      conversationId: conversationOf(sessionId),
      principal: accountOf(device),
      name: device.personName,
    });
    if (isStopped) session.ends('aborted');
    return isStopped;
  }

  /** The session is the person's from the first word on. */
  async #objection({ device, sessionId }: Speaker): Promise<ErrorFrame | undefined> {
    const { owners } = this.#dependencies;
    return owners.objectionTo(device, await owners.ownerFor(device, sessionId));
  }
}

function senderOf({ id, personName }: Device): Sender {
  return { id, name: personName, isPerson: true };
}

function attachmentsOf(files: readonly ArrivedFile[], handles: readonly string[]): readonly InboundAttachment[] {
  return files.map(({ bytes, ...facts }, index) => ({ ...facts, handle: handles[index] ?? '', size: bytes.length }));
}

const closing: ServerFrame = { type: 'error', code: 'CLOSING', message: 'Keyturn is being stopped. Come again.' };

const noMessage: ServerFrame = {
  type: 'error',
  code: 'NO_USER_MESSAGE',
  message: 'Nothing was said here yet that could be answered again.',
};
