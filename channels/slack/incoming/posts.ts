import type { ChannelHost, InboundMessage, Receipt } from '../../../src/contract.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import { Remembered } from '../../../src/lib/remembered.ts';
import type { EphemeralNotices } from '../outgoing/ephemeral-notices.ts';
import { idOf } from './author.ts';
import { Lanes } from './lanes.ts';
import type { LastWriters } from './last-writers.ts';
import type { Names } from './names.ts';
import { postShape, type SlackPost } from './payload.ts';
import { isDirect } from './place.ts';
import { type PostChange, readChange } from './post-changes.ts';
import { deletionOf, editOf, messageOf } from './post-events.ts';
import { namesInRoot } from './post-quote.ts';
import { type Arrival, isEmpty, namesFor, type ReadPost, readPost } from './read-post.ts';
import { ThreadRoots } from './thread-roots.ts';

/** So long is waited for the beginning of a thread, in milliseconds. */
const patience = 1_500;
/** Of so many posts is it known that they are being stored, for the other event about them. */
const mostTwins = 100;
/** Of so many posts is it known that they stood beside all threads. */
const mostBeside = 200;
/** Of so many posts is it known what has become of them. */
const mostChanges = 100;
/** Of so many posts is it known that their authors were told something because of them. */
const mostAnswered = 200;

export interface PostsDependencies {
  readonly host: ChannelHost;
  readonly names: Names;
  readonly notices: EphemeralNotices;
  readonly writers: LastWriters;
}

/** An event about a post. */
export interface PostEvent extends Arrival {
  readonly event: Readonly<Record<string, unknown>>;
}

/** Brings to the host what people write, change and take back. */
export class Posts {
  readonly #dependencies: PostsDependencies;
  readonly #lanes = new Lanes();
  readonly #roots: ThreadRoots;
  readonly #twins = new Remembered<string, { readonly type: unknown; readonly storing: Promise<void> }>(mostTwins);
  readonly #besideThreads = new Remembered<string, true>(mostBeside);
  /** The latest of each. A post that did not come in is delivered again, when it may be changed or gone. */
  readonly #changes = new Remembered<string, PostChange>(mostChanges);
  readonly #answered = new Remembered<string, true>(mostAnswered);

  constructor(dependencies: PostsDependencies) {
    this.#dependencies = dependencies;
    this.#roots = new ThreadRoots(dependencies.host.log);
  }

  /** Resolves once it is stored, or with the reason why there is nothing to store. Must be called in the events' order. */
  async take(event: PostEvent): Promise<string | undefined> {
    const { subtype } = event.event;
    return subtype === 'message_changed' || subtype === 'message_deleted' ? this.#change(event) : this.#post(event);
  }

  /** Whether this post stood in a direct chat beside all threads, and was told of by this process. */
  stoodBesideThreads({ workspace, chatId }: Pick<Arrival, 'workspace' | 'chatId'>, ts: string): boolean {
    return this.#besideThreads.has(`${workspace.teamId}:${chatId}:${ts}`);
  }

  async #post(event: PostEvent): Promise<string | undefined> {
    const { data } = postShape.safeParse(event.event);
    if (data === undefined) return 'it can not be read';
    const told = readPost(data, event);
    if (typeof told === 'string') return told;
    const change = this.#changes.get(told.key);
    if (change !== undefined && change.editedTs === undefined) return 'it was taken back before it came';
    const read = told.post.edited === undefined && change !== undefined ? change.read : told;
    if (isEmpty(read)) return 'nothing is said with it';

    const isAddressed = isDirect(event.chatId) || read.calls || event.event.type === 'app_mention';
    // A post that names the bot is told of twice, by two kinds of events. What is delivered again is the host's to see.
    const { type } = event.event;
    const name = `${read.key} ${isAddressed}`;
    const twin = this.#twins.get(name);
    const storing = twin !== undefined && twin.type !== type ? twin.storing : this.#store(read, isAddressed);
    if (storing !== twin?.storing) this.#twins.set(name, { type, storing });
    try {
      await storing;
    } catch (error) {
      this.#twins.delete(name);
      throw error;
    }
    return undefined;
  }

  async #store(read: ReadPost, isAddressed: boolean): Promise<void> {
    const { notices, names } = this.#dependencies;
    const { author, place } = read;
    if (isDirect(place.chatId) && !read.isReply) this.#besideThreads.set(read.key, true);
    const { notice } = await this.#lanes.pass(
      laneOf(read),
      () => this.#prepare(read, isAddressed),
      (root) => this.#hand(read, messageOf(read, { isAddressed, names, root }), root),
    );
    // What is delivered again, or was looked for after a gap, is not answered again.
    if (author.type !== 'person' || notice === undefined || this.#answered.has(read.key)) return;
    this.#answered.set(read.key, true);
    notices.show(place, author.userId, notice);
  }

  async #hand(read: ReadPost, message: InboundMessage, root: SlackPost | undefined): Promise<Receipt> {
    const { host, writers } = this.#dependencies;
    const { conversation, addressed, isThreadReply = false, sender } = message;
    if (read.author.type === 'person' && (addressed || isThreadReply)) writers.note(conversation, read.author);
    const receipt = await host.receive(message);
    if (addressed && (!read.isReply || root !== undefined)) this.#roots.note(read.place, sender.id);
    return receipt;
  }

  /** Resolves with the root of the thread, where that has to be told, as soon as all is there that is worth a wait. */
  async #prepare(read: ReadPost, isAddressed: boolean): Promise<SlackPost | undefined> {
    const { names, host } = this.#dependencies;
    const { place, isReply, shared } = read;
    const learning = names.learn(place.workspace, namesFor(read));
    const isNew = isReply && isAddressed && shared.length === 0 && !this.#roots.isGiven(place, idOf(read.author));
    if (!isNew) {
      await learning;
      return undefined;
    }
    let root: SlackPost | undefined;
    const fetching = this.#roots.fetch(place).then(async (fetched) => {
      root = fetched;
      if (fetched !== undefined) await names.learn(place.workspace, namesInRoot(fetched));
    });
    await Promise.all([learning, endsWithin(fetching, { clock: host.clock, milliseconds: patience })]);
    return root;
  }

  async #change(event: PostEvent): Promise<string | undefined> {
    const change = readChange(event.event, event);
    if (typeof change === 'string') return change;
    const { host, names } = this.#dependencies;
    const { read, editedTs } = change;
    const { workspace } = read.place;
    this.#changes.set(read.key, change);
    await this.#lanes.pass(
      laneOf(read),
      async () => editedTs !== undefined && names.learn(workspace, namesFor(read)),
      () => host.receive(editedTs === undefined ? deletionOf(read, names) : editOf(read, editedTs, names)),
    );
    return undefined;
  }
}

/** A chat with all its threads. */
function laneOf({ place: { workspace, chatId } }: ReadPost): string {
  return `${workspace.teamId}/${chatId}`;
}
