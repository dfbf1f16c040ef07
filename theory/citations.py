"""The papers that statements, docstrings and figures refer to: one record each, and their BibTeX."""

from dataclasses import dataclass

from theory._checks import one_of

__all__ = ["CITATIONS", "Citation", "bibtex", "cite"]


@dataclass(frozen=True)
class Citation:
    """One paper.

    Attributes
    ----------
    key : str
        BibTeX key.
    authors : tuple of str
        "Given Family" each, in the order of the paper.
    title : str
    year : int
        Year of the venue, or of the preprint where there is no venue.
    venue : str
        Conference or journal; empty for a preprint.
    arxiv : str
        Identifier without prefix; empty where unknown.
    doi : str
        Empty where unknown.
    journal : bool
        Whether the venue is a journal.
    """

    key: str
    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    arxiv: str = ""
    doi: str = ""
    journal: bool = False


_ALL = (
    Citation(
        "lu2022grab",
        ("Yucheng Lu", "Wentao Guo", "Christopher De Sa"),
        "GraB: Finding Provably Better Data Permutations than Random Reshuffling",
        2022,
        "NeurIPS",
        "2205.10733",
    ),
    Citation(
        "cooper2023cdgrab",
        (
            "A. Feder Cooper",
            "Wentao Guo",
            "Khiem Pham",
            "Tiancheng Yuan",
            "Charlie F. Ruan",
            "Yucheng Lu",
            "Christopher De Sa",
        ),
        "Coordinating Distributed Example Orders for Provably Accelerated Training",
        2023,
        "NeurIPS",
        "2302.00845",
    ),
    Citation(
        "cha2023tighter",
        ("Jaeyoung Cha", "Jaewook Lee", "Chulhee Yun"),
        "Tighter Lower Bounds for Shuffling SGD: Random Permutations and Beyond",
        2023,
        "ICML",
        "2303.07160",
    ),
    Citation(
        "yun2022minibatch",
        ("Chulhee Yun", "Shashank Rajput", "Suvrit Sra"),
        "Minibatch vs Local SGD with Shuffling: Tight Convergence Bounds and Beyond",
        2022,
        "ICLR",
        "2110.10342",
    ),
    Citation(
        "mishchenko2020random",
        ("Konstantin Mishchenko", "Ahmed Khaled", "Peter Richtárik"),
        "Random Reshuffling: Simple Analysis with Vast Improvements",
        2020,
        "NeurIPS",
        "2006.05988",
    ),
    Citation(
        "mishchenko2021proximal",
        ("Konstantin Mishchenko", "Ahmed Khaled", "Peter Richtárik"),
        "Proximal and Federated Random Reshuffling",
        2021,
        arxiv="2102.06704",
    ),
    Citation(
        "safran2020good",
        ("Itay Safran", "Ohad Shamir"),
        "How Good is SGD with Random Shuffling?",
        2020,
        "COLT (PMLR 125:3250-3284)",
        "1908.00045",
    ),
    Citation(
        "safran2021random",
        ("Itay Safran", "Ohad Shamir"),
        "Random Shuffling Beats SGD Only After Many Epochs on Ill-Conditioned Problems",
        2021,
        "NeurIPS",
        "2106.06880",
    ),
    Citation(
        "rajput2020closing",
        ("Shashank Rajput", "Anant Gupta", "Dimitris Papailiopoulos"),
        "Closing the convergence gap of SGD without replacement",
        2020,
        "ICML",
        "2002.10400",
    ),
    Citation(
        "rajput2022permutation",
        ("Shashank Rajput", "Kangwook Lee", "Dimitris Papailiopoulos"),
        "Permutation-Based SGD: Is Random Optimal?",
        2022,
        "ICLR",
        "2102.09718",
    ),
    Citation(
        "nagaraj2019sgd",
        ("Dheeraj Nagaraj", "Prateek Jain", "Praneeth Netrapalli"),
        "SGD without Replacement: Sharper Rates for General Smooth Convex Functions",
        2019,
        "ICML",
        "1903.01463",
    ),
    Citation(
        "haochen2019random",
        ("Jeff Z. HaoChen", "Suvrit Sra"),
        "Random Shuffling Beats SGD after Finite Epochs",
        2019,
        "ICML (PMLR 97)",
    ),
    Citation(
        "ying2019stochastic",
        ("Bicheng Ying", "Kun Yuan", "Stefan Vlaski", "Ali H. Sayed"),
        "Stochastic Learning under Random Reshuffling with Constant Step-sizes",
        2019,
        "IEEE Transactions on Signal Processing 67(2)",
        "1803.07964",
        journal=True,
    ),
    Citation(
        "ahn2020sgd",
        ("Kwangjun Ahn", "Chulhee Yun", "Suvrit Sra"),
        "SGD with shuffling: optimal rates without component convexity and large epoch requirements",
        2020,
        "NeurIPS",
        "2006.06946",
    ),
    Citation(
        "nguyen2026learning",
        ("Lam M. Nguyen", "Dzung T. Phan", "Jayant Kalagnanam"),
        "Learning to Shuffle: Block Reshuffling and Reversal Schemes for Stochastic Optimization",
        2026,
        arxiv="2604.00260",
    ),
    Citation(
        "harvey2014near",
        ("Nick Harvey", "Samira Samadi"),
        "Near-Optimal Herding",
        2014,
        "COLT (PMLR 35:1165-1182)",
    ),
    Citation(
        "alweiss2021discrepancy",
        ("Ryan Alweiss", "Yang P. Liu", "Mehtaab Sawhney"),
        "Discrepancy Minimization via a Self-Balancing Walk",
        2021,
        "STOC",
        "2006.14009",
    ),
    Citation(
        "kulkarni2024optimal",
        ("Janardhan Kulkarni", "Victor Reis", "Thomas Rothvoss"),
        "Optimal Online Discrepancy Minimization",
        2024,
        "STOC",
        "2308.01406",
    ),
    Citation(
        "bansal2018gram",
        ("Nikhil Bansal", "Daniel Dadush", "Shashwat Garg", "Shachar Lovett"),
        "The Gram-Schmidt Walk: A Cure for the Banaszczyk Blues",
        2018,
        "STOC",
        "1708.01079",
    ),
    Citation(
        "bansal2022prefix",
        ("Nikhil Bansal", "Haotian Jiang", "Raghu Meka", "Sahil Singla", "Makrand Sinha"),
        "Prefix Discrepancy, Smoothed Analysis, and Combinatorial Vector Balancing",
        2022,
        "ITCS",
        "2111.07049",
    ),
    Citation(
        "liu2021gaussian",
        ("Yang P. Liu", "Ashwin Sah", "Mehtaab Sawhney"),
        "A Gaussian fixed point random walk",
        2021,
        arxiv="2104.07009",
    ),
    Citation(
        "dwivedi2021kernel",
        ("Raaz Dwivedi", "Lester Mackey"),
        "Kernel Thinning",
        2021,
        "COLT",
        "2105.05842",
    ),
    Citation(
        "dwivedi2022generalized",
        ("Raaz Dwivedi", "Lester Mackey"),
        "Generalized Kernel Thinning",
        2022,
        "ICLR",
        "2110.01593",
    ),
    Citation(
        "bardenet2015concentration",
        ("Rémi Bardenet", "Odalric-Ambrym Maillard"),
        "Concentration inequalities for sampling without replacement",
        2015,
        "Bernoulli 21(3)",
        "1309.4029",
        "10.3150/14-BEJ605",
        journal=True,
    ),
    Citation(
        "dahan2026bringing",
        ("Tehila Dahan", "Roie Reshef", "Sharon Goldstein", "Kfir Y. Levy"),
        "Bringing Order to Asynchronous SGD: Towards Optimality under Data-Dependent Delays with Momentum",
        2026,
        arxiv="2605.02043",
    ),
    Citation(
        "mishchenko2022asynchronous",
        ("Konstantin Mishchenko", "Francis Bach", "Mathieu Even", "Blake Woodworth"),
        "Asynchronous SGD Beats Minibatch SGD Under Arbitrary Delays",
        2022,
        "NeurIPS",
        "2206.07638",
    ),
    Citation(
        "koloskova2022sharper",
        ("Anastasia Koloskova", "Sebastian U. Stich", "Martin Jaggi"),
        "Sharper Convergence Guarantees for Asynchronous SGD for Distributed and Federated Learning",
        2022,
        "NeurIPS",
        "2206.08307",
    ),
    Citation(
        "tyurin2023optimal",
        ("Alexander Tyurin", "Peter Richtárik"),
        "Optimal Time Complexities of Parallel Stochastic Optimization Methods "
        "Under a Fixed Computation Model",
        2023,
        "NeurIPS",
        "2305.12387",
    ),
    Citation(
        "maranjyan2025ringmaster",
        ("Artavazd Maranjyan", "Alexander Tyurin", "Peter Richtárik"),
        "Ringmaster ASGD: The First Asynchronous SGD with Optimal Time Complexity",
        2025,
        "ICML",
        "2501.16168",
    ),
    Citation(
        "shi2024ordered",
        ("Chang-Wei Shi", "Yi-Rui Yang", "Wu-Jun Li"),
        "Ordered Momentum for Asynchronous SGD",
        2024,
        "NeurIPS",
        "2407.19234",
    ),
    Citation(
        "levy2023mu",
        ("Kfir Y. Levy",),
        "μ²-SGD: Stable Stochastic Optimization via a Double Momentum Mechanism",
        2023,
        arxiv="2304.04172",
    ),
    Citation(
        "cutkosky2019anytime",
        ("Ashok Cutkosky",),
        "Anytime Online-to-Batch, Optimism and Acceleration",
        2019,
        "ICML",
        "1903.00974",
    ),
    Citation(
        "arjevani2020tight",
        ("Yossi Arjevani", "Ohad Shamir", "Nathan Srebro"),
        "A Tight Convergence Analysis for Stochastic Gradient Descent with Delayed Updates",
        2020,
        "ALT",
        "1806.10188",
    ),
    Citation(
        "mitliagkas2016asynchrony",
        ("Ioannis Mitliagkas", "Ce Zhang", "Stefan Hadjis", "Christopher Ré"),
        "Asynchrony begets Momentum, with an Application to Deep Learning",
        2016,
        "Allerton",
        "1605.09774",
    ),
    Citation(
        "zheng2017asynchronous",
        (
            "Shuxin Zheng",
            "Qi Meng",
            "Taifeng Wang",
            "Wei Chen",
            "Nenghai Yu",
            "Zhi-Ming Ma",
            "Tie-Yan Liu",
        ),
        "Asynchronous Stochastic Gradient Descent with Delay Compensation",
        2017,
        "ICML",
        "1609.08326",
    ),
)

CITATIONS = {citation.key: citation for citation in _ALL}


def bibtex(key: str) -> str:
    """BibTeX entry of one paper.

    Parameters
    ----------
    key : str
        One of the keys of :data:`CITATIONS`.

    Returns
    -------
    str
        The entry, without a trailing newline; fields that are unknown are left out.

    Raises
    ------
    ValueError
        If the key is unknown; the message lists the keys.

    Examples
    --------
    >>> print(bibtex("harvey2014near"))
    @inproceedings{harvey2014near,
      author = {Nick Harvey and Samira Samadi},
      title = {{Near-Optimal Herding}},
      booktitle = {COLT (PMLR 35:1165-1182)},
      year = {2014},
    }
    """
    c = CITATIONS[one_of("citation", key, CITATIONS)]
    kind = "misc" if not c.venue else "article" if c.journal else "inproceedings"
    fields = {
        "author": " and ".join(c.authors),
        "title": f"{{{c.title}}}",
        "journal" if c.journal else "booktitle": c.venue,
        "year": str(c.year),
        "eprint": c.arxiv,
        "archiveprefix": "arXiv" if c.arxiv else "",
        "doi": c.doi,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def cite(*keys: str) -> str:
    """BibTeX entries of several papers, each once, in the order asked for.

    Parameters
    ----------
    *keys : str
        Keys of :data:`CITATIONS`; none at all gives every paper.

    Returns
    -------
    str
        The entries, separated by empty lines.

    Raises
    ------
    ValueError
        If a key is unknown; the message lists the keys.

    Examples
    --------
    >>> cite("lu2022grab", "cooper2023cdgrab", "lu2022grab").count("@")
    2
    """
    return "\n\n".join(bibtex(key) for key in dict.fromkeys(keys or CITATIONS))
