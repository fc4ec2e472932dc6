import { type Link, withoutDevices } from '../../conversation/access/access.ts';
import type { FeatureCore, Listed, ListedRow, ListingAsked } from '../../feature-points.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { linkingWords } from './words.ts';

const mostPeople = 200;

/** The accounts of a person; for an owner, those of all who have several. Their devices are a list of their own. */
export async function listLinks(
  asked: ListingAsked,
  { accounts, store }: Pick<FeatureCore, 'accounts' | 'store'>,
): Promise<Listed> {
  const own = withoutDevices(asked.accounts);
  const others = asked.isOwner ? accounts.persons().filter((person) => !person.some((one) => own.includes(one))) : [];
  const links = await store.links.links();
  const rowOf = (principal: string, whose: Pick<Account, 'isOwn' | 'isAlone'>): ListedRow =>
    row({ principal, link: links.find((one) => one.principal === principal), ...whose }, asked);
  return {
    rows: [
      ...own.map((one) => rowOf(one, { isOwn: true, isAlone: own.length === 1 })),
      ...others
        .slice(0, mostPeople)
        .flat()
        .map((one) => rowOf(one, { isOwn: false, isAlone: false })),
    ],
  };
}

interface Account {
  readonly principal: string;
  /** Undefined where the config says whose it is. */
  readonly link: Link | undefined;
  readonly isOwn: boolean;
  readonly isAlone: boolean;
}

function row({ principal, link, isOwn, isAlone }: Account, { language }: ListingAsked): ListedRow {
  const { name, linkedAt } = link ?? {};
  const words = linkingWords[language].listed;
  const kind = isAlone ? words.alone : linkedAt === undefined ? words.inConfig : words.linked;
  return {
    id: principal,
    title: oneLine(name ?? principal, 100),
    notes: [...(name === undefined ? [] : [principal]), isOwn ? words.yours : words.others, kind],
    instants: linkedAt === undefined ? [] : [{ label: words.since, at: linkedAt }],
    acts:
      linkedAt === undefined
        ? []
        : [{ label: words.unlink, style: 'danger', line: `unlink ${principal}`, question: words.askUnlink }],
  };
}
