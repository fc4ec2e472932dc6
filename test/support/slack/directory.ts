import type { JsonObject } from '../../../src/lib/json.ts';
import { Refusal } from './refusal.ts';
import type { Installation } from './workspace-options.ts';

/** Somebody who can be asked about. */
export interface Person {
  readonly id: string;
  readonly name?: string;
  readonly realName?: string;
  /** Of a guest from another workspace. */
  readonly teamId?: string;
  readonly isBot?: boolean;
  readonly locale?: string;
}

/** The people of a workspace. Everybody who does something is in it. */
export class Directory {
  readonly #installation: Installation;
  readonly #people = new Map<string, Person>();

  constructor(installation: Installation) {
    this.#installation = installation;
    this.add({ id: installation.botUserId, name: installation.botName, isBot: true });
  }

  add(person: Person): Person {
    const known = { ...this.#people.get(person.id), ...person };
    this.#people.set(person.id, known);
    return known;
  }

  has(id: string): boolean {
    return this.#people.has(id);
  }

  nameOf(id: string): string {
    return this.#people.get(id)?.name ?? `person_${id.toLowerCase()}`;
  }

  teamOf(id: string): string {
    return this.#people.get(id)?.teamId ?? this.#installation.teamId;
  }

  /** As `users.info` tells of somebody. Throws a refusal if there is nobody. */
  wire(id: string, withLocale: boolean): JsonObject {
    const person = this.#people.get(id);
    if (person === undefined) throw new Refusal('user_not_found');
    const name = this.nameOf(id);
    const real_name = person.realName ?? `Person ${id}`;
    const team_id = this.teamOf(id);
    return {
      ...{ id, team_id, name, real_name, deleted: false, tz: 'Etc/UTC', tz_label: 'UTC', tz_offset: 0 },
      ...{ is_bot: person.isBot === true, is_app_user: false, is_admin: false, is_owner: false, is_restricted: false },
      ...(person.teamId !== undefined && { is_stranger: true }),
      ...(withLocale && { locale: person.locale ?? 'en-US' }),
      profile: { real_name, display_name: name, real_name_normalized: real_name, team: team_id },
    };
  }
}
