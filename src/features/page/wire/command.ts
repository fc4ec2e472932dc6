/* `POST /page/command`: obeys a command with the rights of the person, as if they had typed it. */

export interface CommandWish {
  /** Without its slash: `schedules cancel k3f9`. */
  readonly line: string;
  /** Where it is given: a conversation in which the person has talked; a group only for owners. Omitted: in none of them. */
  readonly conversationId?: string | undefined;
  /** Letters and digits, the same when the same wish is sent again: it then acts once. */
  readonly key?: string | undefined;
}

export interface CommandOutcome {
  /** Empty if it has acted before, or there is nothing to say. */
  readonly markdown: string;
  /** What can be done next. */
  readonly buttons: readonly CommandButton[];
}

export interface CommandButton {
  readonly label: string;
  readonly style: 'primary' | 'danger' | 'plain';
  readonly line: string;
}
