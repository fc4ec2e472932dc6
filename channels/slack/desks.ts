import type { Conversation } from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { Desk } from './desk.ts';
import { ResponseUrls } from './outgoing/response-urls.ts';
import type { SlackSettings } from './settings.ts';
import type { Workspace, Workspaces } from './workspaces.ts';

export interface DesksDependencies {
  readonly settings: Pick<SlackSettings, 'api_url' | 'request_timeout_secs'>;
  readonly workspaces: Workspaces;
  readonly clock: Clock;
  readonly log: Log;
}

/** The desks of all workspaces. They outlive the connections: what was sent is remembered. */
export class Desks {
  readonly responseUrls: ResponseUrls;
  readonly #dependencies: DesksDependencies;
  readonly #open = new Map<string, { readonly desk: Desk; readonly workspace: Workspace }>();

  constructor(dependencies: DesksDependencies) {
    this.#dependencies = dependencies;
    this.responseUrls = new ResponseUrls(dependencies.clock);
  }

  /** The desk for this place. Throws `ChannelError`: transient while the workspace may still become known. */
  of(to: Pick<Conversation, 'tenant'>): Desk {
    return this.#deskFor(this.#dependencies.workspaces.of(to));
  }

  /** The desk for this place, if its workspace is known. */
  find({ tenant }: Pick<Conversation, 'tenant'>): Desk | undefined {
    const workspace = this.#dependencies.workspaces.find(tenant);
    return workspace && this.#deskFor(workspace);
  }

  #deskFor(workspace: Workspace): Desk {
    const known = this.#open.get(workspace.teamId);
    if (known !== undefined && isSame(known.workspace, workspace)) return known.desk;
    const { settings, workspaces, clock, log } = this.#dependencies;
    const desk = new Desk({
      ...{ workspace, clock, log, responseUrls: this.responseUrls },
      api: {
        call: async (...request) => workspaces.of({ tenant: workspace.teamId }).api.call(...request),
      },
      token: workspaces.tokenOf(workspace),
      apiUrl: settings.api_url,
      requestTimeoutSecs: settings.request_timeout_secs,
    });
    this.#open.set(workspace.teamId, { desk, workspace });
    return desk;
  }
}

/** Each session looks at a workspace anew. Only where the operator has granted more or less is there something to begin anew. */
function isSame(one: Workspace, other: Workspace): boolean {
  return one.botUserId === other.botUserId && [...(one.scopes ?? [])].join() === [...(other.scopes ?? [])].join();
}
