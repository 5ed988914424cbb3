/* Names for what the theme leaves nameless, and wide tables that a keyboard can scroll; it makes some of them late. */
function name_all() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search")
  document.querySelectorAll("nav.md-nav:not([data-named]), nav.md-code__nav:not([data-named])").forEach((each) => {
    name_all.named = (name_all.named || 0) + 1
    each.dataset.named = "yes"
    each.removeAttribute("aria-labelledby")
    each.setAttribute("aria-label", `${each.matches(".md-nav") ? "Pages" : "Code"} ${name_all.named}`)
  })
  document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach((each) => each.setAttribute("tabindex", "0"))
}
new MutationObserver(name_all).observe(document.body, { childList: true, subtree: true })
name_all()
