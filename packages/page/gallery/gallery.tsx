/* The parts that views are made of, for the tests of the parts. Built by them alone: the page has nothing of it. */

import { signal } from '@preact/signals';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { Badge } from '../src/components/badge.tsx';
import { Button, IconButton } from '../src/components/button.tsx';
import { Copy } from '../src/components/copy.tsx';
import { Confirm, Dialog } from '../src/components/dialog.tsx';
import { Empty, Skeleton } from '../src/components/empty.tsx';
import { Field, Select, Switch, TextField } from '../src/components/field.tsx';
import { Menu } from '../src/components/menu.tsx';
import { Fault, Notice } from '../src/components/notice.tsx';
import { type Column, Table } from '../src/components/table.tsx';
import { Tabs } from '../src/components/tabs.tsx';
import { Time } from '../src/components/time.tsx';
import { VirtualList } from '../src/components/virtual-list.tsx';
import { AskError } from '../src/lib/ask.ts';
import { followLanguage } from '../src/lib/follow-language.ts';
import { followTheme } from '../src/lib/theme.ts';
import { now } from '../src/lib/time.ts';
import { toast } from '../src/lib/toasts.ts';
import { ToastList } from '../src/shell/toast-list.tsx';

/** What was done last, where a test can read it. */
const done = signal('nothing');

interface Fruit {
  readonly name: string;
  readonly weight: number;
}

const fruits: readonly Fruit[] = [
  { name: 'pear', weight: 180 },
  { name: 'apple', weight: 90 },
  { name: 'melon', weight: 1200 },
];

const columns: readonly Column<Fruit>[] = [
  { name: 'name', head: 'Name', cell: ({ name }) => name, sortBy: ({ name }) => name },
  { name: 'weight', head: 'Weight', cell: ({ weight }) => weight, sortBy: ({ weight }) => weight, isNumber: true },
];

const many = Array.from({ length: 10_000 }, (_, index) => `row ${index}`);

function Gallery() {
  return (
    <main>
      <h1>Gallery</h1>
      <output data-testid="done">{done.value}</output>
      <Buttons />
      <Dialogs />
      <Choices />
      <Fields />
      <Table label="Fruits" columns={columns} rows={fruits} keyOf={({ name }) => name} />
      <Said />
      <LongList />
      <ToastList />
    </main>
  );
}

function Buttons() {
  return (
    <section aria-label="Buttons">
      <Button style="primary" icon="plus" onPress={does('primary')}>
        Primary
      </Button>
      <Button onPress={does('plain')}>Plain</Button>
      <Button style="danger" onPress={does('danger')}>
        Danger
      </Button>
      <Button isBusy>Busy</Button>
      <IconButton icon="trash" name="Throw away" onPress={does('icon')} />
      <Copy text="copied text" />
      <Button onPress={() => toast('Toasted.')}>Toast</Button>
      <Badge kind="accent">7</Badge>
      <Badge kind="good">good</Badge>
      <Badge kind="warning">warning</Badge>
      <Badge kind="danger">danger</Badge>
    </section>
  );
}

function Dialogs() {
  const [shown, show] = useState<'dialog' | 'confirm'>();
  const close = () => show(undefined);
  return (
    <section aria-label="Dialogs">
      <Button onPress={() => show('dialog')}>Open dialog</Button>
      <Button onPress={() => show('confirm')}>Ask first</Button>
      {shown === 'dialog' && (
        <Dialog title="A dialog" onClose={close}>
          <p>Text of the dialog</p>
        </Dialog>
      )}
      {shown === 'confirm' && (
        <Confirm title="Sure?" action="Remove it" isDanger onClose={close} onConfirm={does('confirmed', close)}>
          Gone is gone
        </Confirm>
      )}
    </section>
  );
}

function Choices() {
  const [tab, choose] = useState<'one' | 'two'>('one');
  return (
    <section aria-label="Choices">
      <Menu
        name="Menu: things to do"
        face="Menu"
        groups={[
          {
            name: 'all',
            items: [
              { name: 'first', label: 'First', onPress: does('first') },
              { name: 'second', label: 'Second', isChosen: true, onPress: does('second') },
            ],
          },
        ]}
      />
      <Tabs
        label="Numbers"
        tabs={[
          { name: 'one', label: 'One' },
          { name: 'two', label: 'Two', count: 2 },
        ]}
        chosen={tab}
        onChoose={choose}
      >
        <p>{`panel ${tab}`}</p>
      </Tabs>
    </section>
  );
}

function Fields() {
  const [text, write] = useState('');
  const [colour, choose] = useState<'red' | 'blue'>('red');
  const [isOn, turn] = useState(false);
  return (
    <section aria-label="Fields">
      <TextField
        label="City"
        hint="Where you live"
        value={text}
        onInput={write}
        error={text === 'x' ? 'No city' : undefined}
      />
      <Field label="File">{(ids) => <input {...ids} type="file" />}</Field>
      <TextField label="Story" rows={3} value={text} onInput={write} />
      <Select
        label="Colour"
        options={[
          { value: 'red', label: 'Red' },
          { value: 'blue', label: 'Blue' },
        ]}
        value={colour}
        onChoose={choose}
      />
      <Switch label="Lamp" hint="On the table" isOn={isOn} onTurn={turn} />
      <output data-testid="fields">{`${text} ${colour} ${isOn}`}</output>
    </section>
  );
}

function Said() {
  return (
    <section aria-label="Said">
      <Notice kind="warning" title="Take care">
        It is hot
      </Notice>
      <Fault error={new AskError(500, 'It broke')} again={does('again')} />
      <Empty icon="chat" title="Nothing here">
        Say something
      </Empty>
      <Skeleton />
      <Time at={now.value - 5 * 60_000} />
    </section>
  );
}

function LongList() {
  return (
    <section aria-label="Long" style={{ height: '300px' }}>
      <VirtualList
        label="Rows"
        items={many}
        rowHeight={40}
        keyOf={(item) => item}
        onOpen={(item) => does(`opened ${item}`)()}
        draw={(item) => <span>{item}</span>}
      />
    </section>
  );
}

function does(what: string, then?: () => void): () => void {
  return () => {
    done.value = what;
    then?.();
  };
}

followLanguage();
followTheme();
const place = document.getElementById('page');
if (place !== null) render(<Gallery />, place);
