import { timeElement } from '../../lib/folds.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { clockTime, type Reader } from '../../lib/time-words.ts';
import { catalogue } from '../../lib/words.ts';
import type { Impossible } from './plan.ts';
import type { Shortfall } from './tables.ts';

/** What a call did, as markdown, and when. */
interface Deed {
  readonly what: string;
  readonly at: number;
  readonly reader: Reader;
}

/** Paths of the workspace, as they are. */
interface Paths {
  readonly paths: readonly string[];
  readonly more: number;
}

/** `/undo`, for people. */
export const undoWords = catalogue({
  en: {
    menu: {
      undo: {
        description: 'Put files back as they were before a change',
        argument: '[ID or list]',
        help: '`/undo`, `/undo list`, or in reply to a card: files as before a change',
      },
    },
    off: 'No copies are kept here: the operator has switched that off (`undo.enabled`).',
    nothing: ({ days }: { readonly days: number }) =>
      `Nothing to undo here. I keep copies of the workspace's files from before a tool changes them, for ${days === 1 ? 'a day' : `${days} days`}.`,
    notFound: (id: string) => `No change ${id} is kept here. \`/undo list\` shows those that are.`,
    nothingOfMessage: 'No change of files that came with that message is kept here. `/undo list` shows those that are.',
    notYours: 'Only the person it was done for, or somebody who may approve, can undo that.',
    changedByOthers: 'The files have changed since then. Only somebody who may approve can undo that now.',
    alreadyUndone: ({ what, redo }: { readonly what: string; readonly redo: string | undefined }) =>
      `Already undone: ${what}.${redo === undefined ? '' : ` \`/undo ${redo}\` takes that back.`}`,
    alreadyBack: (what: string) => `Nothing to do: the files are as they were before this: ${what}.`,
    cannot: ({ what, why }: { readonly what: string; readonly why: string }) => `Cannot be undone: ${what}. ${why}`,
    question: ({ what, at, reader }: Deed) => `↩️ **Undo this?** ${what} · ${timeElement(at, clockTime(at, reader))}`,
    comesBack: (path: string) => `- ${pathCode(path)} comes back`,
    asBefore: (path: string) => `- ${pathCode(path)} as it was before`,
    goesAway: (path: string) => `- ${pathCode(path)} goes away: it was new`,
    more: (count: number) => (count === 1 ? '- one more' : `- ${count} more`),
    changedSince: (named: Paths) => `⚠️ Changed again since then: ${englishPaths(named)}. That change goes, too.`,
    lost: (named: Paths) => `⚠️ Too large to keep: ${englishPaths(named)}. What is there now is lost.`,
    stays: ({ path, why }: { readonly path: string; readonly why: Impossible }) =>
      `Stays as it is: ${pathCode(path)}, ${englishReason(why)}.`,
    staysMore: (count: number) => `Stays as it is: ${count} more.`,
    shared: 'Something else worked in this folder at the same time: its changes may be among these.',
    outside: 'What it did outside the folder stays: messages, the network, devices, programs.',
    laterStays: (deeds: readonly string[]) => `Came later, and cannot be undone: ${deeds.join('; ')}.`,
    details: 'All changes',
    binary: ({ now, former }: { readonly now: string; readonly former: string }) => `(not a text: ${now} → ${former})`,
    moreLines: (count: number) => (count === 1 ? '[one more line]' : `[${count} more lines]`),
    buttonUndo: '↩️ Undo',
    buttonKeep: 'Keep it',
    buttonTakeBack: 'Take that back',
    buttonOne: (id: string) => `↩️ ${id.slice(0, 10)}`,
    kept: (what: string) => `Left as it is: ${what}.`,
    changedMeanwhile: 'The files have changed since I asked. Nothing was undone. This is how it is now:',
    undone: ({ what, count, redo }: { readonly what: string; readonly count: number; readonly redo: string }) =>
      `↩️ Undone: ${what}. ${count === 1 ? 'One file is' : `${count} files are`} as before. \`/undo ${redo}\` takes that back.`,
    notUndone: (what: string) => `Not undone: ${what}.`,
    failed: (named: Paths) =>
      `⚠️ Could not be put back: ${englishPaths(named)}. It changed meanwhile, or cannot be written.`,
    undoing: (what: string) => `undo: ${what}`,
    list: 'Last changes here:',
    entry: ({ id, what, at, reader }: Deed & { readonly id: string }) =>
      `- \`${id}\` ${clockTime(at, reader)} · ${what}`,
    entryUndone: ({ id, what, at, reader }: Deed & { readonly id: string }) =>
      `- \`${id}\` ${clockTime(at, reader)} · ${what} · undone`,
    entryStays: ({ what, at, reader }: Deed) => `- ${clockTime(at, reader)} · ${what} · cannot be undone`,
    listHow: '`/undo ID` shows what would come back, and asks.',
    whyNothing: (shortfall: Shortfall | undefined): string =>
      shortfall === undefined
        ? 'It changed no file; what it did outside the folder stays.'
        : shortfall === 'many-files'
          ? 'The folder has more than 10,000 files, too many to copy before each command.'
          : 'It changed more than 2,000 files, too many to keep.',
  },
  zh: {
    menu: {
      undo: {
        description: '把文件恢复到改动之前',
        argument: '[ID 或 list]',
        help: '`/undo`、`/undo list`，或回复卡片：把文件恢复到改动之前',
      },
    },
    off: '这里不保留副本：运维人员已关闭（`undo.enabled`）。',
    nothing: ({ days }) => `这里没有可以撤销的改动。工具改动工作区的文件之前，我会保留副本 ${days} 天。`,
    notFound: (id) => `这里没有改动 ${id}。\`/undo list\` 会列出现有的。`,
    nothingOfMessage: '那条消息没有可撤销的文件改动。`/undo list` 会列出保存的改动。',
    notYours: '只有发起这次改动的人，或有权批准的人，才能撤销。',
    changedByOthers: '文件在那之后又有改动，现在只有有权批准的人才能撤销。',
    alreadyUndone: ({ what, redo }) =>
      `已撤销过：${what}。${redo === undefined ? '' : `\`/undo ${redo}\` 可恢复到撤销之前。`}`,
    alreadyBack: (what) => `无需撤销，文件已是改动之前的样子：${what}。`,
    cannot: ({ what, why }) => `无法撤销：${what}。${why}`,
    question: ({ what, at, reader }) => `↩️ **撤销这次改动？** ${what} · ${timeElement(at, clockTime(at, reader))}`,
    comesBack: (path) => `- ${pathCode(path)} 会恢复`,
    asBefore: (path) => `- ${pathCode(path)} 恢复为之前的内容`,
    goesAway: (path) => `- ${pathCode(path)} 会移除：它是新建的`,
    more: (count) => `- 另有 ${count} 个`,
    changedSince: (named) => `⚠️ 之后又有改动：${chinesePaths(named)}。那次改动也会撤销。`,
    lost: (named) => `⚠️ 太大，无法保留：${chinesePaths(named)}。现在的内容会丢失。`,
    stays: ({ path, why }) => `保持不变：${pathCode(path)}，${chineseReason(why)}。`,
    staysMore: (count) => `保持不变：另有 ${count} 个。`,
    shared: '同一时间还有别的操作在这个文件夹里工作：其中可能有它的改动。',
    outside: '文件夹之外的不会撤销：消息、网络、设备、程序。',
    laterStays: (deeds) => `之后的这些无法撤销：${deeds.join('；')}。`,
    details: '全部改动',
    binary: ({ now, former }) => `（不是文本：${now} → ${former}）`,
    moreLines: (count) => `[另有 ${count} 行]`,
    buttonUndo: '↩️ 撤销',
    buttonKeep: '保留',
    buttonTakeBack: '恢复到撤销之前',
    buttonOne: (id) => `↩️ ${id.slice(0, 10)}`,
    kept: (what) => `保持原样：${what}。`,
    changedMeanwhile: '我提问之后文件又有变化，没有撤销。现在的情况：',
    undone: ({ what, count, redo }) =>
      `↩️ 已撤销：${what}。${count} 个文件恢复原样。\`/undo ${redo}\` 可恢复到撤销之前。`,
    notUndone: (what) => `没有撤销：${what}。`,
    failed: (named) => `⚠️ 无法恢复：${chinesePaths(named)}。它在这期间有变化，或无法写入。`,
    undoing: (what) => `撤销：${what}`,
    list: '这里最近的改动：',
    entry: ({ id, what, at, reader }) => `- \`${id}\` ${clockTime(at, reader)} · ${what}`,
    entryUndone: ({ id, what, at, reader }) => `- \`${id}\` ${clockTime(at, reader)} · ${what} · 已撤销`,
    entryStays: ({ what, at, reader }) => `- ${clockTime(at, reader)} · ${what} · 无法撤销`,
    listHow: '`/undo ID` 会显示将恢复的内容，再问你。',
    whyNothing: (shortfall) =>
      shortfall === undefined
        ? '它没有改动文件；文件夹之外的不会撤销。'
        : shortfall === 'many-files'
          ? '文件夹里超过 10,000 个文件，无法在每个命令之前复制。'
          : '它改动了超过 2,000 个文件，无法保留。',
  },
});

function pathCode(path: string): string {
  return inlineCode(oneLine(path, 100));
}

function englishPaths({ paths, more }: Paths): string {
  return [...paths.map(pathCode), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function chinesePaths({ paths, more }: Paths): string {
  return [...paths.map(pathCode), ...(more > 0 ? [`另有 ${more} 个`] : [])].join('、');
}

function englishReason(why: Impossible): string {
  return {
    large: 'which was larger than 5 MB, so no copy was kept',
    room: 'of which no copy was kept: there was no room for more',
    unreadable: 'of which no copy could be made: it could not be read, or has a second name',
    full: 'of which no copy could be written: the disk was full, or refused it',
    gone: 'whose copy is gone or damaged',
    kind: 'which is a link or no regular file',
    'in-the-way': 'since a folder of this name is in the way',
  }[why];
}

function chineseReason(why: Impossible): string {
  return {
    large: '它超过 5 MB，没有保留副本',
    room: '没有保留副本：空间不够',
    unreadable: '无法复制：读不了，或另有硬链接',
    full: '无法写入副本：磁盘已满或拒绝写入',
    gone: '副本已丢失或损坏',
    kind: '它是链接，或不是普通文件',
    'in-the-way': '有同名文件夹挡着',
  }[why];
}
