// The crew's page: a tablet whose presses go to the core, and that is kept for a reload without a network.
import { Tablet } from "./crew_tablet.js";
import { PressBox } from "./press_box.js";
import { Link } from "./press_link.js";
import { keepPage } from "./press_offline.js";
import { stayAwake } from "./press_awake.js";

const BASE = "/crew";

new Tablet(BASE, { Link, Box: PressBox }).start();
stayAwake();
keepPage(BASE, document.body.dataset.assets);
