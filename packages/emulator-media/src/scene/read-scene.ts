import type { PaintColor } from "./paint-color.js";
import type { Backdrop, Ground, Scene, Side, Subject, TimeOfDay, Weather } from "./scene.js";
import type { WordMeaning } from "./scene-words.js";
import { type Mark, markPrompt } from "./vocabulary.js";

const MAX_SUBJECTS = 8;
const MAX_COUNT = 24;
const LONGEST_LABEL = 24;

/** Words before which a thing is named, in a clause that names nothing known. */
const FILLERS = new Set(
  `picture image photo photograph drawing painting illustration art artwork style realistic cinematic detailed high
  quality render digital 3d 4k 8k hd draw paint make create generate show me please in on at to from by for its it is
  are under over near very bild foto zeichnung zeichne male auf an in im am bei zu von bitte mir erstelle zeige unter
  über gemälde portrait porträt close-up view scene szene`.split(/\s+/),
);
const CHINESE_FILLERS =
  /[的了着在是有上下里中边只条座辆朵张棵位艘匹头把杯本个画请给我一幅生成图片照片正站坐跑走]+/g;

const SKY_TIMES: TimeOfDay[] = ["day", "dawn", "dusk", "night"];

/** Reads what a picture is to show from a prompt in English, German or Chinese. */
export function readScene(prompt: string): Scene {
  const scene: Scene = {
    time: "day",
    weather: [],
    ground: "meadow",
    backdrops: [],
    autumn: false,
    subjects: [],
  };
  const grounds: Ground[] = [];
  let waiting: PaintColor[] = [];
  const clauses = clausesOf(markPrompt(prompt));
  for (const clause of clauses) {
    const marks = withoutNegated(clause);
    const meanings = marks.flatMap((mark) => mark.meanings);
    readSurroundings(scene, grounds, meanings);
    const background = backgroundColor(marks);
    if (background) scene.background = background.color;
    const found = readSubjects(
      marks.filter((mark) => mark !== background?.mark),
      waiting,
    );
    waiting = found.subjects.length === 0 && !found.settled ? found.colors : [];
    addSubjects(scene, found.subjects);
  }
  if (scene.subjects.length === 0)
    addSubjects(scene, unknownThings(clauses.map(withoutNegated), scene, grounds));
  scene.ground = settleGround(scene, grounds);
  scene.subjects = scene.subjects.slice(0, MAX_SUBJECTS);
  return scene;
}

/** The colour next to the word for the background: mostly before it, as in "a white background". */
function backgroundColor(marks: readonly Mark[]): { color: PaintColor; mark: Mark } | undefined {
  const at = marks.findIndex(({ meanings }) => meanings.some(({ kind }) => kind === "background"));
  if (at < 0) return undefined;
  for (const mark of [...marks.slice(0, at).reverse(), ...marks.slice(at)]) {
    for (const meaning of mark.meanings) {
      if (meaning.kind === "color") return { color: meaning.color, mark };
      if (meaning.kind === "figure") return undefined;
    }
  }
  return undefined;
}

function clausesOf(marks: readonly Mark[]): Mark[][] {
  const clauses: Mark[][] = [[]];
  for (const mark of marks) {
    if (mark.meanings.some(({ kind }) => kind === "break")) clauses.push([]);
    else clauses.at(-1)?.push(mark);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** What follows a "no" is not there. */
function withoutNegated(marks: readonly Mark[]): Mark[] {
  const at = marks.findIndex(({ meanings }) => meanings.some(({ kind }) => kind === "negation"));
  return at < 0 ? [...marks] : marks.slice(0, at);
}

function readSurroundings(scene: Scene, grounds: Ground[], meanings: readonly WordMeaning[]): void {
  for (const meaning of meanings) {
    if (meaning.kind === "time") scene.time = meaning.time;
    else if (meaning.kind === "weather") addOnce<Weather>(scene.weather, meaning.weather);
    else if (meaning.kind === "ground") addOnce<Ground>(grounds, meaning.ground);
    else if (meaning.kind === "backdrop") addOnce<Backdrop>(scene.backdrops, meaning.backdrop);
    else if (meaning.kind === "season") scene.autumn = true;
  }
}

function addOnce<Value>(list: Value[], value: Value): void {
  if (!list.includes(value)) list.push(value);
}

function readSubjects(
  marks: readonly Mark[],
  colorsBefore: readonly PaintColor[],
): { subjects: Subject[]; colors: PaintColor[]; settled: boolean } {
  const subjects: Subject[] = [];
  let colors = [...colorsBefore];
  let count = 1;
  let size = 1;
  let side: Side | undefined;
  let settled = false;
  let related = false;
  for (const [index, { text, meanings }] of marks.entries()) {
    for (const meaning of meanings) {
      if (meaning.kind === "color") {
        // "An orange" is a fruit where nothing follows that could be of that colour.
        if (text.toLowerCase() === "orange" && !followedByFigure(marks, index)) {
          subjects.push({ figure: "tangerine", label: text, count, colors: [], size });
        } else colors.push(meaning.color);
      } else if (meaning.kind === "count") count = Math.min(MAX_COUNT, meaning.count);
      else if (meaning.kind === "size") size = meaning.size;
      else if (meaning.kind === "side") side ??= meaning.side;
      else if (meaning.kind === "relation") related = true;
      else if (meaning.kind === "figure") {
        subjects.push({ figure: meaning.figure, label: text, count, colors, size });
        colors = [];
        count = 1;
        size = 1;
      } else if (meaning.kind === "ground" || meaning.kind === "backdrop") {
        // A green meadow makes nothing else green.
        colors = [];
        settled = true;
      }
    }
  }
  // "The house is red": said afterwards.
  const [only] = subjects;
  if (only && subjects.length === 1 && only.colors.length === 0) only.colors = colors;
  placeSubjects(subjects, side, related);
  return { subjects, colors, settled };
}

function followedByFigure(marks: readonly Mark[], index: number): boolean {
  return marks.slice(index + 1).some(({ meanings }) => meanings.some(({ kind }) => kind === "figure"));
}

/** Of two things of which the first is left of the second, the second is on the right. */
function placeSubjects(subjects: Subject[], side: Side | undefined, related: boolean): void {
  const [first, second] = subjects;
  if (!first || !side) return;
  first.side = side;
  if (second && related && (side === "left" || side === "right"))
    second.side = side === "left" ? "right" : "left";
  else for (const other of subjects.slice(1)) other.side = side;
}

function addSubjects(scene: Scene, subjects: readonly Subject[]): void {
  for (const subject of subjects) {
    const same = scene.subjects.find(
      (known) =>
        known.figure === subject.figure &&
        known.label === subject.label &&
        known.side === subject.side &&
        String(known.colors) === String(subject.colors),
    );
    // Mostly the same thing named again.
    if (same) same.count = Math.max(same.count, subject.count);
    else scene.subjects.push({ ...subject, count: Math.max(subject.count, subject.colors.length) });
  }
}

/** Things that there is no picture of, by the words that name them: after an article, a number or a colour. */
function unknownThings(clauses: readonly Mark[][], scene: Scene, grounds: readonly Ground[]): Subject[] {
  const told =
    grounds.length + scene.backdrops.length + scene.weather.length > 0 || scene.time !== SKY_TIMES[0];
  for (const marks of clauses) {
    let colors: PaintColor[] = [];
    let count = 1;
    let announced = false;
    let label = "";
    let side: Side | undefined;
    for (const { text, meanings } of marks) {
      const [meaning] = meanings;
      if (meaning?.kind === "color") colors = [...colors, meaning.color];
      if (meaning?.kind === "count") count = Math.min(MAX_COUNT, meaning.count);
      if (meaning?.kind === "side") side = meaning.side;
      if (meaning && ["color", "count", "article", "size"].includes(meaning.kind)) announced ||= label === "";
      if (meaning && meaning.kind !== "article") {
        if (label !== "" && (meaning.kind === "relation" || meaning.kind === "ground")) break;
        continue;
      }
      const name = nameIn(text);
      // Adjectives come first: the last word before a preposition is the thing.
      if (name === "" && label !== "") break;
      if (name !== "") label = name;
    }
    if (label !== "" && (announced || !told)) {
      return [{ label: label.slice(0, LONGEST_LABEL), count, colors, size: 1, ...(side ? { side } : {}) }];
    }
  }
  return [];
}

function nameIn(text: string): string {
  if (/\p{Script=Han}/u.test(text)) return text.replace(CHINESE_FILLERS, "").slice(0, 6);
  const word = text.toLowerCase();
  return FILLERS.has(word) || word.length < 3 || /^(?:the|a|an|ein|eine|der|die|das)$/.test(word) ? "" : text;
}

const AT_HOME_INDOORS =
  /^(?:hot-beverage|birthday-cake|pizza|bread|steaming-bowl|wine-glass|laptop|mobile-phone|closed-book|watch|camera|light-bulb|candle|key|bottle|teapot|red-apple|tangerine|banana|chair|couch-and-lamp|bed|dumpling|cooked-rice|sushi|hamburger|doughnut|cookie|cupcake|strawberry|lemon|pear|grapes|cherries|peach|spaghetti|croissant|sandwich|taco|cheese-wedge|glasses|potted-plant|alarm-clock|teddy-bear|wrapped-gift|books)$/;
const SHAPES =
  /^(?:circle|square|triangle|rectangle|star|red-heart|cube|ball|t-shirt|dress|running-shoe|handbag)$/;
const AT_SEA =
  /^(?:sailboat|ship|speedboat|motor-boat|ferry|passenger-ship|canoe|whale|spouting-whale|dolphin|shark|octopus|person-surfing|seal|fish|tropical-fish|duck|swan|goose)$/;
const IN_SPACE = /^(?:ringed-planet|rocket|satellite|globe-.*|flying-saucer)$/;

/** The ground that a prompt names; else the one that its things are mostly seen on. */
function settleGround(scene: Scene, grounds: readonly Ground[]): Ground {
  const figures = scene.subjects.map(({ figure }) => figure ?? "");
  const named = grounds.find((ground) => ground !== "snow") ?? grounds[0];
  // A colour says what the ground looks like, and a room may still have a wall of it.
  if (scene.background) return named === "room" ? named : "studio";
  if (grounds.includes("space")) return "space";
  if (grounds.includes("beach")) return "beach";
  if (named === "sea" || named === "lake") {
    // Who does not swim stands on the shore.
    return figures.length > 0 && !figures.some((figure) => AT_SEA.test(figure)) ? "beach" : named;
  }
  if (named) return named;
  const most = (pattern: RegExp) => figures.length > 0 && figures.every((figure) => pattern.test(figure));
  const outdoors = scene.weather.length > 0 || scene.backdrops.length > 0 || scene.time !== "day";
  if (figures.some((figure) => AT_SEA.test(figure)))
    return figures.some((figure) => /^(?:duck|swan|goose)$/.test(figure)) ? "lake" : "sea";
  if (scene.backdrops.includes("stars") && most(IN_SPACE)) return "space";
  if (most(IN_SPACE) && !outdoors) return "space";
  if (!outdoors && (most(SHAPES) || most(/^$/))) return "studio";
  if (!outdoors && most(AT_HOME_INDOORS)) return "room";
  if (scene.backdrops.includes("city")) return "city";
  return "meadow";
}
