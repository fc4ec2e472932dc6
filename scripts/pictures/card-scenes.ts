import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '../../src/lib/words.ts';
import type { ModelServer } from '../../test/support/model-server.ts';

export const platforms = ['telegram', 'slack', 'discord', 'terminal'] as const;

export type Platform = (typeof platforms)[number];

/** What Ada answers a card with: the end of the button's action, and the keys at a terminal with what they lead to. */
export interface Answer {
  readonly action: string;
  readonly keys: string;
  readonly outcome: string;
}

/** A real daemon on one platform, with Ada, who owns it. What it shows is what was sent. */
export interface Stage {
  readonly platform: Platform;
  readonly model: ModelServer;
  readonly workspace: string;
  /** How the model addresses the chat of the team. Undefined where there is no other chat. */
  readonly team: string | undefined;
  /** Ada says something. Gives the card that it leads to. */
  ask(text: string): Promise<Shot>;
  /** Ada answers the last card. Gives what that shows when all is done. */
  answer(answer: Answer): Promise<Shot>;
  /** The last card with what it folds. */
  unfold(): Promise<Shot>;
  /** Somebody unknown writes: the card to the owner. Undefined where nobody else can. */
  readonly meetStranger: (() => Promise<Shot>) | undefined;
  /** Somebody adds the bot to a group. Undefined where there are none. */
  readonly joinGroup: (() => Promise<Shot>) | undefined;
  /** From now on, nobody has longer than a few seconds to decide. */
  hurry(): Promise<void>;
  /** The last card after its time. */
  expired(): Promise<Shot>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What is seen of a card. */
export interface Shot {
  readonly html: string;
  /** The text that everybody reads, without what is folded and without buttons. */
  readonly text: string;
}

/** A card with its heading. No shot: there is no such card on the platform. */
export interface CardPicture {
  readonly name: SceneName;
  readonly heading: string;
  readonly shot: Shot | undefined;
}

const headings = {
  write: { en: 'A file is written', zh: '写文件' },
  unfolded: { en: 'The same, unfolded', zh: '同一张卡片，展开后' },
  allowed: { en: 'Decided: one line', zh: '决定之后：一行' },
  undo: { en: '/undo', zh: '/undo' },
  edit: { en: 'A file is edited', zh: '修改文件' },
  denied: { en: 'Denied', zh: '拒绝之后' },
  command: { en: 'A command', zh: '运行命令' },
  danger: { en: 'What cannot be undone', zh: '无法撤销的操作' },
  question: { en: 'A question', zh: '提问' },
  message: { en: 'A message to others', zh: '给别人发消息' },
  stranger: { en: 'A stranger', zh: '陌生人' },
  group: { en: 'A new group', zh: '新的群' },
  fetch: { en: 'A page, after an untrusted one', zh: '读过不可信的网页之后' },
  joint: { en: 'Several calls on one card', zh: '多个操作，一张卡片' },
  expired: { en: 'Nobody decided', zh: '过期' },
} as const;

export const sceneNames = [
  ...(['write', 'unfolded', 'allowed', 'undo', 'edit', 'denied', 'command', 'danger', 'question'] as const),
  ...(['message', 'stranger', 'group', 'fetch', 'joint', 'expired'] as const),
];

export type SceneName = keyof typeof headings;

/** Nothing to show, since the platform has no such thing. */
export const lacking = { en: 'Not on this platform.', zh: '这个平台没有。' } as const;

const lines = {
  en: {
    note: 'Make a note: milk, bread',
    content: 'milk\nbread\n',
    list: '# Standup\n\n- when: 9:00\n- where: room 2\n- who: everybody\n',
    move: 'The standup is at ten now, online',
    moved: ['- when: 9:00\n- where: room 2', '- when: 10:00\n- where: online'],
    test: 'Run the tests',
    publish: 'Clear the build and publish it',
    both: 'Put tea on the list, and check the disk',
    tea: ['bread\n', 'bread\ntea\n'],
    table: 'Book a table for tonight',
    when: { question: 'For what time?', options: ['19:00', '20:00', '20:30'] },
    late: 'Tell the team that I am late',
    said: 'Ada is ten minutes late.',
    prices: 'Compare the prices for my list',
    page: '<h1>Prices</h1><p>Milk 1.20. Current prices: http://prices.example.org/today</p>',
    hello: 'Hello!',
    team: 'Team',
    done: 'Done.',
  },
  zh: {
    note: '帮我记一下：牛奶、面包',
    content: '牛奶\n面包\n',
    list: '# 晨会\n\n- 时间：9:00\n- 地点：2 号会议室\n- 参加：所有人\n',
    move: '晨会改到十点，线上开',
    moved: ['- 时间：9:00\n- 地点：2 号会议室', '- 时间：10:00\n- 地点：线上'],
    test: '运行一下测试',
    publish: '清理构建目录，然后发布',
    both: '把茶加到清单里，再看看磁盘',
    tea: ['面包\n', '面包\n茶\n'],
    table: '订今晚的位子',
    when: { question: '几点？', options: ['19:00', '20:00', '20:30'] },
    late: '告诉团队我会晚到',
    said: 'Ada 会晚到十分钟。',
    prices: '比较一下清单里的价格',
    page: '<h1>价格</h1><p>牛奶 1.20。最新价格：http://prices.example.org/today</p>',
    hello: '你好！',
    team: '团队',
    done: '好了。',
  },
} as const;

export type SceneLines = (typeof lines)[Language];

export function linesIn(language: Language): SceneLines {
  return lines[language];
}

const approval: Answer = { action: ':a', keys: 'y', outcome: '✔️' };
const denial: Answer = { action: ':d', keys: 'n', outcome: '❌ \\S+ \\S+' };
const first: Answer = { action: ':0', keys: '1\r', outcome: '❓' };

/** Plays the scenes, one after the other, in one chat: all of them but those. */
export async function playCards(
  stage: Stage,
  language: Language,
  left: readonly SceneName[] = [],
): Promise<readonly CardPicture[]> {
  const say = lines[language];
  const { model, workspace, team } = stage;
  const pictures = new Map<SceneName, Shot>();
  await writeFile(join(workspace, 'standup.md'), say.list);
  await writeFile(join(workspace, 'package.json'), '{ "scripts": { "test": "node --test" } }');
  script(model, say, team);

  const play = async (name: SceneName, act: (() => Promise<Shot>) | undefined): Promise<void> => {
    if (act !== undefined && !left.includes(name)) pictures.set(name, await act());
  };
  const deny = (): Promise<Shot> => stage.answer(denial);
  await play('write', () => stage.ask(say.note));
  await play('unfolded', () => stage.unfold());
  await play('allowed', () => stage.answer(approval));
  await play('undo', () => stage.ask('/undo'));
  await play('edit', () => stage.ask(say.move));
  await play('denied', deny);
  await play('command', () => stage.ask(say.test));
  await deny();
  await play('danger', () => stage.ask(say.publish));
  await deny();
  await play('question', () => stage.ask(say.table));
  await stage.answer(first);
  await play('message', team === undefined ? undefined : () => stage.ask(say.late));
  if (team !== undefined) await deny();
  await play('stranger', stage.meetStranger);
  await play('group', stage.joinGroup);
  await play('fetch', () => stage.ask(say.prices));
  await deny();
  await play('joint', () => stage.ask(say.both));
  await deny();
  await stage.hurry();
  await stage.ask(say.note);
  await play('expired', () => stage.expired());
  return sceneNames.map((name) => ({ name, heading: headings[name][language], shot: pictures.get(name) }));
}

function script(model: ModelServer, say: SceneLines, team: string | undefined): void {
  const [before, after] = say.moved;
  const [bread, tea] = say.tea;
  const edit = (path: string, old_text: string, new_text: string) => ({
    name: 'edit_file',
    arguments: { path, old_text, new_text },
  });
  const fetch = (url: string) => ({ name: 'web_fetch', arguments: { url } });
  model
    .otherwise(say.done)
    .onUser(say.note, { calls: [{ name: 'write_file', arguments: { path: 'notes.txt', content: say.content } }] })
    .onUser(say.move, { calls: [edit('standup.md', before, after)] })
    .onUser(say.test, { calls: [{ name: 'shell', arguments: { command: 'npm test' } }] })
    .onUser(say.publish, {
      calls: [{ name: 'shell', arguments: { command: 'rm -r build\ngit push --force origin main' } }],
    })
    .onUser(say.both, {
      calls: [edit('notes.txt', bread, tea), { name: 'shell', arguments: { command: 'df -h > disk.txt' } }],
    })
    .onUser(say.table, { calls: [{ name: 'ask', arguments: say.when }] })
    .onUser(say.late, { calls: [{ name: 'message', arguments: { to: team ?? '', text: say.said } }] })
    .onUser(say.prices, {
      calls: [{ name: 'read_file', arguments: { path: 'notes.txt' } }, fetch('http://example.com/prices')],
    })
    .onResult('prices.example.org', { calls: [fetch('http://prices.example.org/today')] });
}
